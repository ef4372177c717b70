# Writes OUTPUT from TEMPLATE with the commit of SOURCE_DIR; "unknown" where it is no git checkout.
set(COMMIT unknown)
find_program(GIT git)
if(GIT)
  # No lock is taken, so that a build never gets in the way of a commit.
  set(git ${GIT} --no-optional-locks -C ${SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  file(REAL_PATH "${SOURCE_DIR}" source)
  if(status EQUAL 0)
    file(REAL_PATH "${top}" top)
  endif()
  if(top STREQUAL source)  # a source archive unpacked inside another repository has none
    execute_process(COMMAND ${git} describe --always --exclude=* --abbrev=12 --dirty
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                    RESULT_VARIABLE status)
    if(status EQUAL 0)
      set(COMMIT ${described})
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
