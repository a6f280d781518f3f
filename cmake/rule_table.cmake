# Writes the table of rules from the list of folders: cmake -DRULES=rules -DOUTPUT=rule_table.c -P rule_table.cmake
# A folder is a rule when it holds rule.c; its kernel.c and README.md may be missing while it is being written (the
# test of the registry says so). analyzer/rule.h declares what is written here.

file(GLOB ids RELATIVE ${RULES} ${RULES}/*/rule.c)
list(TRANSFORM ids REPLACE "/rule.c$" "")
list(SORT ids)

# The text of a page as C string literals, one a line of the page.
function(c_string path result)
  set(text "")
  if(EXISTS ${path})
    file(READ ${path} text)
  endif()
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}") # no trigraphs
  string(REPLACE "\t" "\\t" text "${text}")
  string(REPLACE "\r" "" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(${result} "    \"${text}\"" PARENT_SCOPE)
endfunction()

set(externs "")
set(rules "")
set(kernels "")
set(pages "")
set(count 0)
foreach(id IN LISTS ids)
  string(REPLACE "-" "_" symbol ${id})
  string(APPEND externs "extern const Rule rule_${symbol};\n")
  string(APPEND rules "    &rule_${symbol},\n")
  if(EXISTS ${RULES}/${id}/kernel.c)
    string(APPEND externs "extern const Kernel kernel_${symbol};\n")
    string(APPEND kernels "    &kernel_${symbol},\n")
  else()
    string(APPEND kernels "    NULL,\n")
  endif()
  c_string(${RULES}/${id}/README.md page)
  string(APPEND pages "${page},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "/* Written by cmake/rule_table.cmake from the folders in rules/. */
#include \"analyzer/rule.h\"
#include \"bench/kernel.h\"

#include <stddef.h>

${externs}
const unsigned rule_count = ${count};

const Rule *const rule_table[] = {
${rules}    NULL,
};

const Kernel *const kernel_table[] = {
${kernels}    NULL,
};

const char *const rule_pages[] = {
${pages}    NULL,
};
")
