// Bundles the page into one file: node build.mjs WHERE_NODE_MODULES_IS OUTPUT.
// OUTPUT.html is the template into which gpscl report puts its data; OUTPUT.cpp is the same text for the program to
// carry with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, output] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, 'package.json'))('esbuild');

const bundled = async (entry, options) => {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [join(modules, 'node_modules')],
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text.trimEnd();
};

const script = await bundled('main.ts', { format: 'iife', target: 'es2021', charset: 'ascii' });
const style = await bundled('style.css', {});
// Replaced by functions: in a text, "$&" would mean something.
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('/* style */', () => style)
  .replace('/* script */', () => script.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--'));

// Compilers take long texts in pieces.
const pieces = page.match(/[^]{1,4000}/gu).map((piece) => {
  const escaped = piece.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\?/g, '\\?');
  return `    "${escaped}"`;
});
writeFileSync(`${output}.html`, page);
writeFileSync(
  `${output}.cpp`,
  `// Made by report-ui/build.mjs.\n#include "gps/report/page/page_template.h"\n\n` +
    `#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nnamespace gps {\n\n` +
    `std::string_view page_template() {\n  static constexpr char kPage[] =\n${pieces.join('\n')};\n` +
    `  return {kPage, sizeof kPage - 1};\n}\n\n}  // namespace gps\n`,
);
