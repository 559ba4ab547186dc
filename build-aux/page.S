/* The files of the monitor's page as constants: page_html, page_script,
   page_style and page_icon, each up to its _end; and flame_script, of the pages of
   eventring profile --flame, which have page_style, too.  The assembler looks for the
   files in the folder that -I names. */

        .section .note.GNU-stack, "", %progbits
        .section .rodata

        .global page_html, page_html_end
page_html:
        .incbin "index.html"
page_html_end:

        .global page_script, page_script_end
page_script:
        .incbin "monitor.js"
page_script_end:

        .global page_style, page_style_end
page_style:
        .incbin "monitor.css"
page_style_end:

        .global page_icon, page_icon_end
page_icon:
        .incbin "monitor.svg"
page_icon_end:

        .global flame_script, flame_script_end
flame_script:
        .incbin "flame.js"
flame_script_end:
