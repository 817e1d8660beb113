// Charts of which something is cut off: those whose picture reaches beyond its box, or whose text beyond its picture.
// Returns a line for each. A label for which there is no room stays in the picture, transparent, and does not count.
export function cutOff(page) {
  return page.$$eval('.plot svg.marks', (all) => all.filter((svg) => svg.clientWidth > 0).flatMap((svg) => {
    const picture = svg.getBoundingClientRect();
    const box = svg.closest('.plot').getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.getAttribute('opacity') !== '0' && text.textContent !== '')
      .map((text) => text.getBoundingClientRect());
    const left = Math.min(...texts.map((text) => text.left));
    const right = Math.max(...texts.map((text) => text.right));
    const bottom = Math.max(...texts.map((text) => text.bottom));
    const isInside = (a, b) => a <= b + 0.5; // half a pixel is no letter
    if (picture.left >= box.left && picture.right <= box.right && isInside(picture.left, left) && isInside(right, picture.right) &&
        isInside(bottom, picture.bottom)) return [];
    const caption = svg.closest('figure').querySelector('figcaption').textContent;
    return [`${caption}: the picture is ${picture.left} to ${picture.right} in ${box.left} to ${box.right}, ` +
      `text ${left} to ${right} and down to ${bottom} of ${picture.bottom}`];
  }));
}
