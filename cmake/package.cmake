# `make deb` makes one Debian package of everything that is installed. dpkg-shlibdeps finds its dependencies from the
# programs. Building with the libraries needs the -dev packages, which are suggested.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpscl)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of gps-cl <gps-cl@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS dataset-fashion-mnist)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "g++, cmake, make, pkg-config, libfmt-dev, nlohmann-json3-dev, libhwy-dev, zlib1g-dev, libjpeg62-turbo-dev, libpng-dev, libwebp-dev, libgif-dev, libutf8proc-dev, libarchive-dev, libcurl4-openssl-dev, libssl-dev, libsqlite3-dev, libtomlplusplus-dev, libopenmpi-dev")
include(CPack)
