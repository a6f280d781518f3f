# Writes style and script of the HTML report as C strings, each with the hash by which the page's Content-Security-Policy
# allows it: cmake -DPAGE=analyzer/report/html -DOUTPUT=html_assets.c -P page_assets.cmake

# Base64 of the bytes that stand in `hex` (RFC 4648): three bytes are four digits of six bits.
function(base64_of_hex hex result)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  string(LENGTH "${hex}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${hex}000000" ${at} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 digit)
      string(APPEND text "${digit}")
    endforeach()
    math(EXPR at "${at} + 6")
  endwhile()
  math(EXPR over "${at} - ${length}") # hex digits that were made up: two or four
  math(EXPR over "${over} / 2")
  string(LENGTH "${text}" whole)
  math(EXPR whole "${whole} - ${over}")
  string(SUBSTRING "${text}" 0 ${whole} text)
  string(REPEAT "=" ${over} pad)
  set(${result} "${text}${pad}" PARENT_SCOPE)
endfunction()

function(c_string path result)
  file(READ ${path} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}") # no trigraphs
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(${result} "    \"${text}\"" PARENT_SCOPE)
endfunction()

foreach(part css js)
  c_string(${PAGE}/page.${part} ${part}_text)
  file(SHA256 ${PAGE}/page.${part} hex)
  base64_of_hex(${hex} ${part}_hash)
endforeach()

file(WRITE ${OUTPUT} "/* Written by cmake/page_assets.cmake from analyzer/report/html/. */
#include \"analyzer/report/html.h\"

const char html_style[] =
${css_text};

const char html_style_hash[] = \"sha256-${css_hash}\";

const char html_script[] =
${js_text};

const char html_script_hash[] = \"sha256-${js_hash}\";
")
