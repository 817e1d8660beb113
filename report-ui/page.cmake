# The page of gpscl report, bundled by esbuild into one source file that the library carries: GPSCL_PAGE_SOURCE. Its npm
# packages are installed once, into the build folder. Without npm, or without a way to its registry, the library gets an
# empty page; gpscl report then says so, and its other formats work.
set(GPSCL_PAGE_SOURCE ${PROJECT_SOURCE_DIR}/src/gps/report/page/page_missing.cpp)
set(modules ${PROJECT_BINARY_DIR}/report-ui)
if(GPSCL_REPORT)
  find_program(GPSCL_NODE node)
  find_program(GPSCL_NPM npm)
  set(ui ${PROJECT_SOURCE_DIR}/report-ui)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ui}/package-lock.json)
  file(MAKE_DIRECTORY ${modules})
  set(stamp ${modules}/installed)  # after all packages are there, and not before
  if(GPSCL_NODE AND GPSCL_NPM AND ${ui}/package-lock.json IS_NEWER_THAN ${stamp})
    message(STATUS "Installing the npm packages of the report's page")
    file(REMOVE ${stamp})
    file(COPY ${ui}/package.json ${ui}/package-lock.json ${ui}/.npmrc DESTINATION ${modules})
    # A hang guard: it takes seconds, or minutes where the machine or its network is slow.
    execute_process(COMMAND ${GPSCL_NPM} ci --loglevel=error --no-progress --fetch-retries=1 --fetch-retry-mintimeout=1000
                    WORKING_DIRECTORY ${modules}
                    RESULT_VARIABLE outcome OUTPUT_QUIET ERROR_VARIABLE error TIMEOUT 3600)
    if(outcome EQUAL 0)
      file(TOUCH ${stamp})
    else()
      string(REGEX REPLACE "\n.*" "" error "${error}")
      message(STATUS "npm ci failed: ${error}")
    endif()
  endif()
  if(EXISTS ${stamp})
    set(page ${PROJECT_BINARY_DIR}/generated/gps/report/page/page)
    set(GPSCL_PAGE_SOURCE ${page}.cpp)
    file(GLOB sources CONFIGURE_DEPENDS ${ui}/src/*)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/gps/report/page)
    add_custom_command(OUTPUT ${page}.cpp BYPRODUCTS ${page}.html
      COMMAND ${GPSCL_NODE} ${ui}/build.mjs ${modules} ${page}
      DEPENDS ${sources} ${ui}/build.mjs ${stamp} COMMENT "Bundling the report's page" VERBATIM)
  else()
    message(STATUS "gpscl report will write no page: it needs node, npm and npm's registry while it is built")
  endif()
endif()
