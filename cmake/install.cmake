# Defines what `cmake --install` installs and where: the program, the libraries with their headers, find_package(gps)
# and pkg-config files, the LibTorch module, completion for shells, the man page, and examples. docs/library.md
# describes the result.
include(CMakePackageConfigHelpers)

# On Debian, use the same folders for every prefix, so that one build can be both installed and packaged.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_LIBRARY_ARCHITECTURE AND NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Object code libraries")
endif()
include(GNUInstallDirs)
set(GPSCL_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/gps)

# To be called after all targets are defined.
function(install_gps)
  install(TARGETS gps_core gps_experiments gps_report gps EXPORT gps ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Programs that link an installed library look for the LibTorch module beside it.
  target_link_options(gps_core INTERFACE
    "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/gps>")
  install(EXPORT gps NAMESPACE gps:: FILE gpsTargets.cmake DESTINATION ${GPSCL_CMAKE_FOLDER})
  set(gps_uses_mpi OFF)
  if(MPI_CXX_FOUND)
    set(gps_uses_mpi ON)
  endif()
  configure_package_config_file(cmake/gpsConfig.cmake.in ${PROJECT_BINARY_DIR}/generated/gpsConfig.cmake
    INSTALL_DESTINATION ${GPSCL_CMAKE_FOLDER})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/gpsConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/generated/gpsConfig.cmake ${PROJECT_BINARY_DIR}/generated/gpsConfigVersion.cmake
    cmake/FindWebP.cmake cmake/FindUtf8proc.cmake DESTINATION ${GPSCL_CMAKE_FOLDER})
  # The list of headers is made at installation: gps/gps.h and everything that it includes.
  install(CODE "
    set(sources \"${PROJECT_SOURCE_DIR}/src\")
    set(generated \"${PROJECT_BINARY_DIR}/generated\")
    set(includes \"${CMAKE_INSTALL_INCLUDEDIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")
  install_pkgconfig()
  set(parts gps_core gps_experiments gps_report)
  foreach(module gps_torch gps_tiles)
    if(TARGET ${module})
      install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gps)
      list(APPEND parts ${module})
    endif()
  endforeach()
  if(TARGET gpscl)
    install(TARGETS gpscl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install_pages()
    list(APPEND parts gpscl gpscl_pages)
  endif()
  # Builds everything that is installed, without the tests.
  add_custom_target(installed_parts DEPENDS ${parts})
  install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "images" EXCLUDE)
  install(DIRECTORY examples configs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)
endfunction()

function(install_pc_file name what requires libraries)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gps.pc.in ${PROJECT_BINARY_DIR}/generated/gps-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/gps-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# Installs gps-core, gps-experiments and gps-report for pkg-config. The libraries are static, so programs that link them
# must also link their dependencies.
function(install_pkgconfig)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE includes)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE archives)
  string(REGEX REPLACE "[^/]+" ".." up ${archives}/pkgconfig)
  install_pc_file(core "networks, memory, learners, policies, training and Global Pseudo-task Simulation"
    "fmt nlohmann_json libhwy zlib libjpeg libpng libwebp libgif libutf8proc libarchive libcurl libcrypto sqlite3"
    "-lgps_core -Wl,-rpath,\${libdir}/gps -pthread -ldl")
  set(with_mpi "")
  if(MPI_CXX_FOUND)
    set(with_mpi " mpi")
  endif()
  install_pc_file(experiments "runs, their store and sweeps" "gps-core tomlplusplus${with_mpi}" "-lgps_experiments")
  install_pc_file(report "tables and pages of runs" "gps-experiments" "-lgps_report")
endfunction()

# The program itself writes its completion files and man page.
function(install_pages)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  file(MAKE_DIRECTORY ${pages})
  add_custom_command(OUTPUT ${pages}/gpscl ${pages}/_gpscl ${pages}/gpscl.fish ${pages}/gpscl.1
    COMMAND $<TARGET_FILE:gpscl> completion bash > ${pages}/gpscl
    COMMAND $<TARGET_FILE:gpscl> completion zsh > ${pages}/_gpscl
    COMMAND $<TARGET_FILE:gpscl> completion fish > ${pages}/gpscl.fish
    COMMAND $<TARGET_FILE:gpscl> completion man > ${pages}/gpscl.1
    DEPENDS gpscl COMMENT "Writing completion files and the man page" VERBATIM)
  add_custom_target(gpscl_pages ALL DEPENDS ${pages}/gpscl ${pages}/_gpscl ${pages}/gpscl.fish ${pages}/gpscl.1)
  install(FILES ${pages}/gpscl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/gpscl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${pages}/gpscl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # Debian's zsh uses different folders below /usr and below /usr/local.
  install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES \"(^|/)usr/?$\")
      set(folder vendor-completions)
    endif()
    file(INSTALL \"${pages}/_gpscl\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")
endfunction()
