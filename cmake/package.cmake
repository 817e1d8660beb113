# `make deb`: one Debian package of all that is installed. What it depends on is read out of its programs
# (dpkg-shlibdeps); whoever builds with the libraries needs the -dev packages that are suggested.
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
  "g++, cmake, libfmt-dev, nlohmann-json3-dev, libhwy-dev, zlib1g-dev, libjpeg62-turbo-dev, libpng-dev, libarchive-dev, libcurl4-openssl-dev, libssl-dev, libsqlite3-dev, libtomlplusplus-dev, libopenmpi-dev")
include(CPack)
