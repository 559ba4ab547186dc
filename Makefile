# Eventring: the OCaml toolchain with a flight recorder, its reader library
# and the eventring command. make help lists the targets.
#
# All products are under _build:
#   upstream/     the pristine OCaml tree        (upstream/fetch)
#   ocaml/        the same with ours laid over   (upstream/graft), built here
#   lib/ bin/     libeventring, the eventring command
#   stage/        all of it installed, for the tests (build-aux/stage)
#   stock/        pristine OCaml, built and installed: the reference of tests
#   variant/      our runtime alone, for a stock OCaml that is installed
#   arm64/        OCaml for arm64, for tests in qemu
#   done/         a file a finished step; log/ the output of each

B := _build
STEP := build-aux/step
LOG := $(B)/log
DONE := $(B)/done
TREE := $(B)/ocaml
ABS := $(CURDIR)/$(B)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# configure runs by itself for every target that builds; these do not.
ifneq ($(filter-out help deps deps-check demo clean distclean,$(or $(MAKECMDGOALS),all)),)
include $(B)/config.mk
endif

$(B)/config.mk: configure config.mk.in
	@mkdir -p $(B)
	@if test -x $(B)/config.status; then \
	  what="./config.status --recheck && ./config.status"; \
	else what="../configure"; fi; \
	$(STEP) "configure" $(LOG)/configure.log sh -c "cd $(B) && $$what" || \
	  { grep '^configure: ' $(LOG)/configure.log >&2; exit 1; }
	@touch $@

# A checkout does not keep the order of times: without autoconf, configure.ac as
# it was committed belongs to configure.
configure: configure.ac
	@if command -v autoconf >/dev/null; then \
	  autoconf && rm -rf autom4te.cache; \
	elif git diff --quiet HEAD -- configure.ac 2>/dev/null; then \
	  touch $@; \
	else echo "configure.ac is newer than configure, and autoconf is missing" \
	  "(Debian package autoconf)" >&2; exit 1; fi

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Test programs at the same time: they wait a third of their time.
TEST_JOBS ?= $(shell expr $(JOBS) + 2)

# Options to build several targets at once, with the output of each in one piece.
IN_PARALLEL = --no-print-directory -j$(JOBS) --output-sync=target

# Upstream's make must not see our variables nor our job server.
UPMAKE = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(MAKE) -j$(JOBS)

# A PREFIX given to make stays, until configure is run again.
PREFIX ?= $(shell test $(DONE)/prefix -nt $(B)/config.mk && \
	    cat $(DONE)/prefix || echo $(prefix))

# The man pages of the libraries take longer to make than the compilers.
OCAML_DEFAULT_FLAGS := --enable-ocamltest --disable-stdlib-manpages
OCAML_FLAGS ?= $(OCAML_DEFAULT_FLAGS)

##@ Building

.PHONY: all
all: toolchain lib tool ## the toolchain, libeventring and the eventring command

$(DONE)/fetch: upstream/package-lock.json upstream/fetch $(B)/config.mk
	@mkdir -p $(DONE)
	@$(STEP) "fetch OCaml's sources" $(LOG)/fetch.log \
	  upstream/fetch --out $(B)/upstream \
	  $(if $(OCAML_SOURCE),--source $(OCAML_SOURCE))
	@touch $@

OVERLAY := $(foreach f,$(shell awk '/^(add|replace) / { print $$2 }' \
  upstream/overlay),$(if $(filter %/,$f),$(wildcard $f*.[ch]),$f))

# Touches done/tree when a file of the tree changed, and only then.
$(DONE)/graft: $(DONE)/fetch upstream/graft upstream/overlay upstream/edits \
               $(wildcard upstream/*.cocci) \
               $(OVERLAY)
	@$(STEP) "graft ours onto them" $(LOG)/graft.log \
	  upstream/graft --pristine $(B)/upstream --out $(TREE) \
	  --stamp $(DONE)/tree
	@touch $@

$(DONE)/tree $(TREE)/configure: $(DONE)/graft
	@:

# Gives another tree Coccinelle's output, which takes most of the time of a graft.
copy_patched = mkdir -p $1 && cp -R $(TREE)/.patched $1

.PHONY: FORCE
$(DONE)/prefix: FORCE
	@mkdir -p $(DONE)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' >$@

# Another prefix is compiled into all of it.
$(DONE)/ocaml-configure: $(TREE)/configure $(DONE)/prefix
	@if test -e $(TREE)/Makefile.config; then \
	  $(STEP) "clean the toolchain: it will be for $(PREFIX)" \
	    $(LOG)/ocaml-clean.log $(UPMAKE) -C $(TREE) clean; fi
	@$(STEP) "configure the toolchain" $(LOG)/ocaml-configure.log \
	  sh -c 'cd $(TREE) && $(OCAML_CONFIGURE_VARS) \
	    ./configure --prefix="$(PREFIX)" $(OCAML_FLAGS)'
	@touch $@

# Upstream's rules do not see two things that follow from the standard library
# (an edit of ours to one of its modules, such as Stdlib, makes all compiled
# files unusable; and these programs are bytecode that holds the library, with
# the names of its primitives)...
BYTECODE = $(addprefix $(TREE)/,ocaml lex/ocamllex $(addprefix tools/,\
  cvt_emit make_opcodes ocamlcp ocamlmklib ocamlmktop ocamloptp ocamlprof))
STDLIB_EDITED = $(addprefix $(TREE)/,\
  $(shell awk '/^file stdlib\/[^.]/ { print $$2 }' upstream/edits))

# ... and which objects include a header that has changed.
REMOVE_STALE = if test -e $(TREE)/runtime/libasmrun.a && \
  test -n "`find $(TREE)/runtime -name '*.h' -newer $(TREE)/runtime/libasmrun.a \
    -o -name '*.tbl' -newer $(TREE)/runtime/libasmrun.a`"; then \
  find $(TREE)/runtime $(TREE)/otherlibs -name '*.*.o' -delete; fi

# FROM_STOCK=yes, for make check: the native compilers of stock OCaml compile what
# else bytecode compilers do, to the same code, with half of the time in all. With
# other flags of configure, the code could be another.
FROM_STOCK_OCAMLRUN = $(if $(filter-out $(OCAML_DEFAULT_FLAGS),$(OCAML_FLAGS)),,\
  OCAMLRUN="$(CURDIR)/build-aux/stock-ocamlrun $(ABS)/stock/install \
    $(ABS)/ocaml/boot/ocamlrun")
ifdef FROM_STOCK
$(DONE)/toolchain: | $(DONE)/stock
endif

$(DONE)/toolchain: $(DONE)/ocaml-configure $(DONE)/tree
	@$(REMOVE_STALE)
	@if test -e $(TREE)/stdlib/stdlib.cma && \
	    test -n "`find $(STDLIB_EDITED) -newer $(TREE)/stdlib/stdlib.cma`"; then \
	  $(STEP) "clean the toolchain: another standard library" \
	    $(LOG)/ocaml-clean.log $(UPMAKE) -C $(TREE) clean; fi
	@if test -n "`find $(TREE)/stdlib -name 'eventring.ml*' \
	    -newer $(TREE)/tools/ocamlmklib 2>/dev/null`"; then \
	  rm -f $(BYTECODE); fi
	@$(STEP) "build the toolchain (first time: 3 minutes)" \
	  $(LOG)/ocaml-build.log $(UPMAKE) -C $(TREE) \
	  $(if $(FROM_STOCK),$(FROM_STOCK_OCAMLRUN))
	@touch $@

.PHONY: toolchain
toolchain: $(DONE)/toolchain ## the grafted OCaml: compilers, runtime, libraries

# The libraries named have C code that includes our headers.
.PHONY: runtime
runtime: $(DONE)/graft ## after a change in runtime/ or consumer/: only what it needs
	@test -e $(DONE)/toolchain || $(MAKE) --no-print-directory toolchain
	@$(REMOVE_STALE)
	@$(STEP) "build the runtime" $(LOG)/runtime.log \
	  $(UPMAKE) -C $(TREE) runtime-all runtime-allopt
	@for lib in runtime_events unix systhreads; do \
	  $(STEP) "build library $$lib" $(LOG)/runtime-$$lib.log \
	    $(UPMAKE) -C $(TREE)/otherlibs/$$lib all allopt || exit 1; done

## libeventring and the command

# Prints two spaces, the action and its file: V=1 shows the commands instead.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $1 $@)

WARNINGS = -Wall -Wextra
LIB_CFLAGS = -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(ZSTD_CFLAGS) \
  $(XXHASH_CFLAGS) -Iconsumer/reader -Iconsumer/library -Iruntime
LIB_SRC := $(wildcard consumer/reader/*.c consumer/library/*.c)
ANALYSIS_SRC := $(wildcard analysis/*.c)
TOOL_SRC := $(wildcard fleet/*.c render/*.c sources/*.c tools/*.c tools/*/*.c)
SERVE_SRC := $(wildcard serve/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
ANALYSIS_OBJ := $(ANALYSIS_SRC:%.c=$(B)/obj/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/obj/%.o)
SERVE_OBJ := $(SERVE_SRC:%.c=$(B)/obj/%.o)
PAGE_OBJ := $(B)/obj/page.o

# The public header has both numbers: the version of the package, and the
# number of the ABI.
header_value = $(shell sed -n 's/^\#define $1 "*\([^"]*\)"*$$/\1/p' \
  consumer/reader/eventring_reader.h)
PACKAGE_VERSION := $(call header_value,EVENTRING_READER_VERSION)
SONAME := libeventring.so.$(call header_value,EVENTRING_ABI)
MAP := consumer/library/libeventring.map

# Libraries that libeventring and the command are linked with.
LIB_LIBS = $(ZSTD_LIBS) $(LIBATOMIC)
ANALYSIS_LIBS = $(DW_LIBS) -lelf $(ZLIB_LIBS)
TOOL_LIBS = $(LIB_LIBS) $(ANALYSIS_LIBS) $(JANSSON_LIBS) $(NCURSES_LIBS) -ldl -lm
FLEET_CFLAGS = $(JANSSON_CFLAGS) $(MICROHTTPD_CFLAGS) $(GNUTLS_CFLAGS) \
  $(CURL_CFLAGS) $(NATS_CFLAGS) $(LATE_CFLAGS)

-include $(LIB_OBJ:.o=.d) $(ANALYSIS_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) \
  $(SERVE_OBJ:.o=.d) $(wildcard $(B)/obj/testsuite/ring/*.d)

$(B)/obj/consumer/%.o: consumer/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(LIB_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

# Each layer sees the folders of the layers that it may include; all see the
# table of events.
$(B)/obj/analysis/%.o: analysis/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(DW_CFLAGS) $(ZLIB_CFLAGS) \
	  -Iconsumer/reader -Ianalysis -Iruntime -MMD -MP -c -o $@ $<

$(B)/obj/fleet/%.o: fleet/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(FLEET_CFLAGS) \
	  -Iconsumer/reader -Ianalysis -Ifleet -Iruntime -MMD -MP -c -o $@ $<

$(B)/obj/render/%.o: render/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(JANSSON_CFLAGS) \
	  $(ZLIB_CFLAGS) -Iconsumer/reader -Ianalysis -Irender -Iruntime -MMD -MP -c -o $@ $<

$(B)/obj/sources/%.o: sources/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS) \
	  -Iconsumer/reader -Ianalysis -Ifleet -Irender -Isources -Iruntime -MMD -MP -c \
	  -o $@ $<

$(B)/obj/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(FLEET_CFLAGS) \
	  $(NCURSES_CFLAGS) $(ZLIB_CFLAGS) $(DW_CFLAGS) $(XXHASH_CFLAGS) \
	  -Iconsumer/reader -Ianalysis -Ifleet -Irender -Isources -Iserve -Itools -Iruntime \
	  -MMD -MP -c -o $@ $<

$(B)/obj/serve/%.o: serve/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) $(CFLAGS) $(FLEET_CFLAGS) \
	  -Iconsumer/reader -Ianalysis -Ifleet -Irender -Isources -Iserve -Iruntime -MMD \
	  -MP -c \
	  -o $@ $<

# The page of the monitor and the flame graph, as data in the command.  A tarball
# of make dist has them bundled, so that it needs no npm.
PAGE_FILES = $(addprefix $(B)/web/,index.html monitor.js monitor.css \
               monitor.svg flame.js)
$(PAGE_FILES) &: web/build web/package-lock.json $(wildcard web/src/* web/built/*)
	@mkdir -p $(B)/web
	@if test -d web/built; then cp web/built/* $(B)/web; else \
	  $(STEP) "bundle the monitor's page" $(LOG)/web.log \
	    web/build $(B)/web; fi
	@touch $(PAGE_FILES)

$(PAGE_OBJ): build-aux/page.S $(PAGE_FILES)
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -Wa,-I$(B)/web -c -o $@ $<

$(B)/lib/libeventring.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^

$(B)/lib/$(SONAME): $(LIB_OBJ) $(MAP)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(MAP) \
	  -Wl,--no-undefined-version $(CFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJ) \
	  $(LIB_LIBS)
	$(Q)ln -sf $(SONAME) $(B)/lib/libeventring.so

$(B)/lib/eventring.pc: build-aux/eventring.pc.in \
                       consumer/reader/eventring_reader.h $(DONE)/prefix
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)sed -e 's,@prefix@,$(PREFIX),; s,@LIBS@,$(LIB_LIBS),' \
	  -e 's,@VERSION@,$(PACKAGE_VERSION),' $< >$@

$(B)/bin/eventring: $(SERVE_OBJ) $(PAGE_OBJ) $(TOOL_OBJ) $(ANALYSIS_OBJ) \
                    $(B)/lib/libeventring.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)

.PHONY: lib tool
lib: $(B)/lib/libeventring.a $(B)/lib/$(SONAME) $(B)/lib/eventring.pc ## libeventring
tool: $(B)/bin/eventring ## the eventring command

##@ Installing

.PHONY: install
install: all ## all of it under PREFIX; DESTDIR is honoured
	@$(STEP) "install under $(DESTDIR)$(PREFIX)" $(LOG)/install.log \
	  build-aux/install $(B) "$(DESTDIR)" "$(PREFIX)"

.PHONY: tools-only
tools-only: lib tool ## libeventring and the command, in seconds

.PHONY: install-tools
install-tools: lib tool ## the command and libeventring, without the toolchain
	@$(STEP) "install the tools under $(DESTDIR)$(PREFIX)" \
	  $(LOG)/install-tools.log \
	  build-aux/install $(B) "$(DESTDIR)" "$(PREFIX)" tools

.PHONY: stage
stage: $(DONE)/stage ## all of it installed under _build/stage, usable there
$(DONE)/stage: $(DONE)/toolchain $(B)/lib/libeventring.a $(B)/lib/$(SONAME) \
               $(B)/lib/eventring.pc $(B)/bin/eventring \
               build-aux/install build-aux/stage $(wildcard doc/man/*.1) \
               $(wildcard doc/completion/*)
	@rm -rf $(B)/stage
	@$(STEP) "install for the tests" $(LOG)/stage.log sh -c \
	  'build-aux/install $(B) $(ABS)/stage/root "$(PREFIX)" && \
	   build-aux/stage $(B)/stage "$(PREFIX)"'
	@touch $@

# The page of events is made from their table, on request, and committed.
doc/EVENTS.md: build-aux/events-md.c build-aux/event_names.h runtime/caml/eventring_events.tbl \
               runtime/caml/eventring_format.h
	@mkdir -p $(B)/obj
	$(Q)$(CC) -std=gnu11 $(WARNINGS) -Iruntime -o $(B)/obj/events-md $<
	$(Q)$(B)/obj/events-md >$@

# So is the list of all options in the manual.
.PHONY: manual
manual: $(B)/bin/eventring ## the list of options in the manual, made anew
	$(Q)build-aux/manual-options $< doc/man/eventring.1 >$(B)/eventring.1
	$(Q)cp $(B)/eventring.1 doc/man/eventring.1

##@ Other trees

STOCK_FLAGS = --enable-ocamltest --disable-stdlib-manpages

.PHONY: stock
stock: $(DONE)/stock ## pristine OCaml, built once a machine, in _build/stock/install
# Anew, too, when its folder in the cache was removed.
$(DONE)/stock: $(DONE)/fetch build-aux/stock \
               $(if $(wildcard $(B)/stock/install/bin/ocamlopt),,FORCE)
	@rm -rf $(B)/stock
	@JOBS=$(JOBS) build-aux/stock $(B)/upstream $(B)/stock $(LOG) \
	  $(STOCK_FLAGS) $(OCAML_CONFIGURE_VARS)
	@touch $@

# The bytecode runtime has the path of its OCaml compiled in: VARIANT_PREFIX
# is the prefix of the OCaml that the variant is for, by default the one in
# PATH when it is the right version.
VARIANT_PREFIX ?= $(shell \
  if test "`ocamlopt -version 2>/dev/null`" = `head -n1 $(B)/upstream/VERSION`; \
  then dirname "`dirname "\`command -v ocamlopt\`"`"; \
  else echo $(ABS)/stock/install; fi)
VARIANT = $(B)/variant
VARIANT_DONE = $(VARIANT:$(B)/%=$(DONE)/%)

.PHONY: variant variant-for-tests
variant: $(VARIANT_DONE) ## our runtime alone, for a stock OCaml of its version (VARIANT_PREFIX)
$(VARIANT_DONE): $(DONE)/graft build-aux/variant
	@mkdir -p $(@D)
	@$(call copy_patched,$(VARIANT)/tree)
	@$(STEP) "graft the variant's tree" $(LOG)/variant-graft.log \
	  upstream/graft --pristine $(B)/upstream --out $(VARIANT)/tree
	@$(STEP) "build it for $(VARIANT_PREFIX)" $(LOG)/variant.log \
	  env $(OCAML_CONFIGURE_VARS) $(VARIANT_VARS) build-aux/variant \
	    $(VARIANT)/tree $(VARIANT) "$(VARIANT_PREFIX)" $(UPMAKE)
	@touch $@
	@echo "use it: ocamlopt -I $(CURDIR)/$(VARIANT) -runtime-variant _eventring"

# The tests have one of their own, which is not optimized.
variant-for-tests: $(DONE)/stock
	@$(MAKE) --no-print-directory variant VARIANT=$(B)/test/variant \
	  VARIANT_VARS='CFLAGS="-O0 -g0"' VARIANT_PREFIX=$(ABS)/stock/install

DIST = ocaml-$(shell head -n1 $(TREE)/VERSION)

# The time of every file in the tarball: the same files make the same tarball,
# and make finds none out of date.
DIST_TIME = 1000000000

# Files that make install-tools needs, in the folder eventring of the tarball.
DIST_TOOLS = Makefile configure configure.ac config.mk.in build-aux runtime \
  consumer analysis fleet render sources serve tools web upstream doc LICENSE \
  README.md SECURITY.md Changes

# The folder of the tarball.
DIST_TO = $(B)

.PHONY: dist
dist: $(DONE)/graft $(PAGE_FILES) ## the grafted tree and the tools as a plain source tarball
	@rm -rf $(DIST_TO)/dist
	@$(call copy_patched,$(DIST_TO)/dist/$(DIST))
	@$(STEP) "graft a clean tree" $(LOG)/dist-graft.log upstream/graft \
	  --pristine $(B)/upstream --out $(DIST_TO)/dist/$(DIST)
	@rm -r $(DIST_TO)/dist/$(DIST)/.grafted $(DIST_TO)/dist/$(DIST)/.patched
	@mkdir $(DIST_TO)/dist/$(DIST)/eventring
	@cp -Rp $(DIST_TOOLS) $(DIST_TO)/dist/$(DIST)/eventring
	@mkdir $(DIST_TO)/dist/$(DIST)/eventring/web/built
	@cp $(PAGE_FILES) $(DIST_TO)/dist/$(DIST)/eventring/web/built
	@tar -C $(DIST_TO)/dist --owner=0 --group=0 --numeric-owner --sort=name \
	  --mtime=@$(DIST_TIME) -czf $(DIST_TO)/$(DIST).tar.gz $(DIST)
	@rm -rf $(DIST_TO)/dist
	@echo "$(DIST_TO)/$(DIST).tar.gz"

.PHONY: opam-repository
opam-repository: dist ## a repository of opam, without network; DISTS= adds tarballs of make dist
	@$(STEP) "make repositories of opam" $(LOG)/opam-repository.log \
	  build-aux/opam-repository $(B)/opam $(DIST_TO)/$(DIST).tar.gz $(DISTS)
	@echo "opam repository add --all-switches --set-default eventring file://$(ABS)/opam/eventring"

##@ Testing and measuring

RING_TESTS := $(patsubst testsuite/ring/%.c,$(B)/test/ring/%,\
                $(wildcard testsuite/ring/test_*.c))

# A first line "// BUILD: ..." adds flags and files to the command line of a test.
# The C files, and the list of the producer's, are compiled once for all tests,
# and with the flags of the command: its objects are linked.  Only where a macro
# is defined are they compiled with the test.  libanalysis.a is all of analysis/.
# All are read at once: there are hundreds of uses.
$(foreach line,$(shell awk 'sub("^// BUILD: ", "") { gsub(" ", "|"); \
  split(FILENAME, part, /[.\/]/); print "BUILD_" part[3] ":=" $$0 } { nextfile }' \
  testsuite/ring/test_*.c),$(eval $(subst |, ,$(line))))
build_line = $(BUILD_$1)
build_files = $(if $(filter -D%,$(call build_line,$1)),,\
  $(filter %.c @%.files,$(call build_line,$1)))
build_archives = $(patsubst %,$2/%,$(filter %.a,$(call build_line,$1)))
build_flags = $(filter-out $(call build_files,$1) %.a,$(call build_line,$1))
build_objects = $(patsubst %.c,$2/obj/%.o,\
  $(patsubst @%.files,$2/obj/%.o,$(call build_files,$1)))
RING_HEADERS := $(wildcard testsuite/ring/*.h runtime/*.h runtime/caml/* \
  $(foreach d,consumer/* analysis fleet render sources serve tools,$d/*.h))
PRODUCER_FLAGS = -I$(TREE)/runtime -iquote $(TREE)/runtime/caml
PRODUCER := $(shell cat testsuite/ring/producer.files)

.SECONDEXPANSION:

$(B)/obj/testsuite/ring/%.o: testsuite/ring/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/testsuite/ring/producer.o: testsuite/ring/producer.files $(PRODUCER) \
                                    $(RING_HEADERS) | $(DONE)/ocaml-configure
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(LIB_CFLAGS) $(PRODUCER_FLAGS) -r -o $@ $(PRODUCER)

$(B)/test/libanalysis.a: $(ANALYSIS_OBJ)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^

$(RING_TESTS): $(B)/test/ring/%: testsuite/ring/%.c $(RING_HEADERS) \
               $$(call build_objects,$$*,$(B)) \
               $$(call build_archives,$$*,$(B)/test) $(B)/lib/libeventring.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LIB_CFLAGS) -Itestsuite/ring -o $@ $< \
	  $(filter %.o,$^) $(call build_flags,$*) $(filter %.a,$^) \
	  `$(PKG_CONFIG) --cflags --libs cmocka` -lpthread $(LIB_LIBS) $(ANALYSIS_LIBS) -lm

## The same, and the command, under sanitizers

# gcc: it is here anyway, with their libraries; clang's have the fuzz targets.  A
# report has functions and lines (-g1), and no variables.
SAN_CC = gcc
SAN_CFLAGS = -std=gnu11 -g1 $(SAN_LEVEL) -fno-omit-frame-pointer $(WARNINGS) \
  -Iconsumer/reader -Iconsumer/library -Iruntime -Ianalysis -Ifleet -Irender \
  -Isources -Iserve -Itools $(FLEET_CFLAGS)
# Only for the library does the optimizer save more time than it takes.
SAN_LEVEL = -O0
$(foreach s,asan tsan,$(B)/$s/obj/consumer/%.o \
  $(B)/$s/obj/testsuite/ring/ring_%.o): SAN_LEVEL = -O1
asan_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all
# ThreadSanitizer does not know fences, and gcc warns of each.  It takes them
# for nothing.  That hides the effect of a missing fence (the model is for that)
# and makes no false alarm: the words that fences order are atomic, each by
# itself.  It does find accesses that are not atomic.
tsan_FLAGS = -fsanitize=thread -Wno-tsan
tsan_LINK = -Wl,--wrap=mmap,--wrap=munmap testsuite/sanitizers/one_mapping.c

# san_works: asan or tsan, whether a program can be built and run with it.
san_works = $(shell mkdir -p $(B)/$1 && echo 'int main(void) { return 0; }' | \
  $(SAN_CC) $($1_FLAGS) -x c -o $(B)/$1/works - 2>/dev/null && \
  $(B)/$1/works >/dev/null 2>&1 && echo yes)

define sanitized
-include $(patsubst %.c,$(B)/$1/obj/%.d,\
           $(LIB_SRC) $(ANALYSIS_SRC) $(TOOL_SRC) $(SERVE_SRC)) \
  $(wildcard $(B)/$1/obj/testsuite/ring/*.d)

$(B)/$1/obj/%.o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(SAN_CC) $$(SAN_CFLAGS) $($1_FLAGS) -MMD -MP -c -o $$@ $$<

$(B)/$1/libeventring.a: $(LIB_SRC:%.c=$(B)/$1/obj/%.o)
$(B)/$1/libanalysis.a: $(ANALYSIS_SRC:%.c=$(B)/$1/obj/%.o)
$(B)/$1/lib%.a:
	$$(Q)rm -f $$@
	$$(call say,AR)
	$$(Q)ar rcs $$@ $$^

$(B)/$1/eventring: $(SERVE_SRC:%.c=$(B)/$1/obj/%.o) $(PAGE_OBJ) \
                   $(TOOL_SRC:%.c=$(B)/$1/obj/%.o) \
                   $(ANALYSIS_SRC:%.c=$(B)/$1/obj/%.o) \
                   $(B)/$1/libeventring.a testsuite/sanitizers/options.c
	$$(call say,LINK)
	$$(Q)$$(SAN_CC) $$(SAN_CFLAGS) $($1_FLAGS) -DCOMMAND -o $$@ $$^ $$(TOOL_LIBS)

$(B)/$1/obj/testsuite/ring/producer.o: testsuite/ring/producer.files \
    $(PRODUCER) $(RING_HEADERS) | $(DONE)/ocaml-configure
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(SAN_CC) $$(SAN_CFLAGS) $$(PRODUCER_FLAGS) $($1_FLAGS) -r -o $$@ \
	  $$(PRODUCER)

$(RING_TESTS:$(B)/test/%=$(B)/$1/%): $(B)/$1/ring/%: testsuite/ring/%.c \
    $(RING_HEADERS) $$$$(call build_objects,$$$$*,$(B)/$1) \
    $$$$(call build_archives,$$$$*,$(B)/$1) \
    $(wildcard testsuite/sanitizers/*.c) $(B)/$1/libeventring.a
	@mkdir -p $$(@D)
	$$(call say,LINK)
	$$(Q)$$(SAN_CC) $$(SAN_CFLAGS) -Itestsuite/ring $($1_FLAGS) -o $$@ $$< \
	  testsuite/sanitizers/options.c $($1_LINK) \
	  $$(filter %.o,$$^) $$(call build_flags,$$*) $$(filter %.a,$$^) \
	  `$$(PKG_CONFIG) --cflags --libs cmocka` -lpthread $$(LIB_LIBS) $$(ANALYSIS_LIBS) -lm
endef
$(eval $(call sanitized,asan))
$(eval $(call sanitized,tsan))

# A test of the command, with the one that has ASan and UBSan.
$(B)/asan/%.t: testsuite/%.t $(B)/asan/eventring
	@mkdir -p $(@D)
	$(Q)printf '#!/bin/sh\nexec "%s" "%s"\n' \
	  '$(CURDIR)/testsuite/sanitizers/asan-command' '$(CURDIR)/$<' >$@
	$(Q)chmod +x $@

# In the gate, all C tests have ASan and UBSan but test_worst*, which want the
# processor's time to be short, and the fuzz targets have them, which read their
# corpus with the command's code; C tests with threads have TSan.
ASAN_RUNS := $(patsubst testsuite/%.c,$(B)/asan/%,\
  $(filter-out testsuite/ring/test_worst%,$(wildcard testsuite/ring/test_*.c)))
# Further ones, for make check-sanitizers, with the command: files, options and
# outputs, the same files read by more commands, attackers, a concurrent writer, real
# programs, servers.
ASAN_MORE := $(patsubst %,$(B)/asan/%.t,$(addprefix cli/,batch_nodes check cut events \
    filter latency many output stat verify) $(addprefix trace/,files rows several) \
  $(addprefix profile/,memory ocaml profile types) hostile/consumer serve/access \
  serve/live $(addprefix fleet/,hub read profile metrics))
TSAN_RUNS := $(patsubst testsuite/%.c,$(B)/tsan/%,\
  $(shell grep -l pthread_create testsuite/ring/test_*.c))
SANITIZED_RUNS = $(if $(call san_works,asan),$(ASAN_RUNS)) \
                 $(if $(call san_works,tsan),$(TSAN_RUNS))
SANITIZED_MORE = $(if $(call san_works,asan),$(ASAN_MORE))
# What the gate runs with sanitizers only; make check-long also without.
RING_TWICE = $(if $(filter $(ASAN_RUNS),$(SANITIZED_RUNS)),\
               $(ASAN_RUNS:$(B)/asan/%=$(B)/test/%))
SANITIZER_TESTS := $(wildcard testsuite/sanitizers/*.t) testsuite/ring/arm64.t

## OCaml for arm64, in qemu

ARM64 := $(B)/arm64
ARM64_WORKS = $(shell command -v qemu-aarch64 >/dev/null && \
  command -v aarch64-linux-gnu-gcc >/dev/null && echo yes)
# The stage is made anew with each change of the command.
ARM64_STEP = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL JOBS=$(JOBS) \
  build-aux/arm64 $(TREE) $(B)/stage $(ARM64)

$(DONE)/arm64: $(DONE)/toolchain build-aux/arm64 build-aux/arm64-link \
               | $(DONE)/stage
	@rm -f $(DONE)/arm64-native
	@$(STEP) "build OCaml for arm64: bytecode" $(LOG)/arm64.log \
	  $(ARM64_STEP) bytecode
	@touch $@

$(DONE)/arm64-native: $(DONE)/arm64
	@$(STEP) "build OCaml for arm64: native code" $(LOG)/arm64-native.log \
	  $(ARM64_STEP) native
	@touch $@

# A test of testsuite/ocaml, with programs for arm64.
$(ARM64)/%.t: testsuite/%.t
	@mkdir -p $(@D)
	$(Q)printf '#!/bin/sh\nEVENTRING_STAGE=%s exec "%s"\n' \
	  '$(ABS)/arm64' '$(CURDIR)/$<' >$@
	$(Q)chmod +x $@

# Not fork: in qemu a program that executes another has another start time, and
# counts as crashed.  Not requests, which compares times with the clock of the
# program.
ARM64_RUNS := $(patsubst %,$(ARM64)/ocaml/%.t,domains user_events \
  eventring_events eventring_control eventring_cursor eventring_fields \
  eventring_names eventring_snapshot eventring_stubs eventring_watch waits \
  threshold switch cursors c_interface runtime_counters)
ARM64_TESTS := testsuite/ring/arm64.t testsuite/ring/unwind.t \
  testsuite/ocaml/arm64.t testsuite/soak/arm64

## Fuzz targets, with clang's libFuzzer

# The optimizer takes three times as long as the rest of the compiler: make fuzz
# has optimized targets of its own, and the gate, which runs few inputs, others.
FUZZ := $(B)/fuzz
FUZZ_LEVEL = -O0
FUZZ_CC = clang
FUZZ_TARGETS := $(patsubst testsuite/fuzz/fuzz_%.c,%,\
                  $(wildcard testsuite/fuzz/fuzz_*.c))
# Of the command's own code, only the files that a target needs; no servers.
FUZZ_TOOLS := $(ANALYSIS_SRC) $(filter-out fleet/hub_server.c,\
                $(wildcard fleet/*.c)) \
  $(wildcard render/*.c sources/*.c) \
  $(addprefix tools/,columns.c common.c filter_options.c) \
  $(filter-out $(addprefix serve/,http.c listen.c sampler.c),\
    $(SERVE_SRC))
# Programs that make files for tests, whose main a target calls by their name.
FUZZ_MAKERS := testsuite/cli/make_ring.c testsuite/profile/make_profile.c
FUZZ_OBJ := $(patsubst %.c,$(FUZZ)/obj/%.o,\
              $(LIB_SRC) $(FUZZ_TOOLS) $(FUZZ_MAKERS) \
              testsuite/ring/ring_file.c testsuite/fuzz/fuzz.c)
FUZZ_SANITIZERS = address,undefined -fno-sanitize-recover=all
FUZZ_CFLAGS = -std=gnu11 -g1 $(FUZZ_LEVEL) -fno-omit-frame-pointer $(WARNINGS) \
  $(FLEET_CFLAGS) \
  -Iconsumer/reader -Iconsumer/library -Iruntime -Ianalysis -Ifleet -Irender \
  -Isources -Iserve -Itools \
  -Itestsuite/fuzz
FUZZ_WORKS = $(shell echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
  $(FUZZ_CC) -fsanitize=fuzzer,address,undefined -x c -o /dev/null - \
    2>/dev/null && echo yes)

-include $(FUZZ_OBJ:.o=.d)

# The command's code ends the program at a mistake: the target goes on.
$(FUZZ)/obj/tools/%.o: FUZZ_CFLAGS += -Dexit=fuzz_exit
$(FUZZ_MAKERS:%.c=$(FUZZ)/obj/%.o): FUZZ_CFLAGS += -Dmain=$(basename $(@F))
$(FUZZ)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) \
	  -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZERS) -MMD -MP -c -o $@ $<

$(FUZZ)/libfuzz.a: $(FUZZ_OBJ)
	$(Q)rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^

$(FUZZ)/bin/seeds: testsuite/fuzz/seeds.c $(B)/lib/libeventring.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LIB_CFLAGS) -o $@ $^ $(LIB_LIBS)

$(FUZZ)/bin/%: testsuite/fuzz/fuzz_%.c testsuite/fuzz/fuzz.h $(FUZZ)/libfuzz.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer,$(FUZZ_SANITIZERS) -o $@ \
	  $< $(FUZZ)/libfuzz.a $(TOOL_LIBS)

.PHONY: fuzz fuzz-build
FUZZ_SECONDS ?= 60
fuzz-build: $(FUZZ)/bin/seeds $(FUZZ_TARGETS:%=$(FUZZ)/bin/%)
fuzz: ## hostile input for the readers; FUZZ_SECONDS=60 a target
	@$(if $(FUZZ_WORKS),$(MAKE) --no-print-directory stage stock fuzz-build \
	  FUZZ=$(B)/fuzz/optimized FUZZ_LEVEL=-O1,\
	  echo "make fuzz needs clang with libFuzzer: make deps" >&2; exit 1)
	@$(TEST_ENV) FUZZ_BIN=$(ABS)/fuzz/optimized/bin \
	  testsuite/fuzz/run $(FUZZ_SECONDS)

TEST_ENV = JOBS=$(TEST_JOBS) EVENTRING_TOP=$(CURDIR) EVENTRING_BUILD=$(ABS) \
  EVENTRING_STAGE=$(ABS)/stage EVENTRING_OCAML=$(ABS)/stage \
  EVENTRING_BIN=$(ABS)/bin/eventring EVENTRING_STOCK=$(ABS)/stock/install \
  EVENTRING_VARIANT=$(ABS)/test/variant

ALL_TESTS := $(sort $(shell find testsuite -name '*.t' ! -name clean-tree.t))

# Only make check-long runs the tests that say so in their first comment, with
# the reason, and the tests in testsuite/unsteady.
UNSTEADY := $(shell awk '!/^\#/ && NF { print $$1 }' testsuite/unsteady)
$(foreach t,$(UNSTEADY),$(if $(wildcard testsuite/$t testsuite/$t.c),,\
  $(error testsuite/unsteady: there is no testsuite/$t)))
LONG := $(UNSTEADY) $(patsubst testsuite/%,%,$(patsubst %.c,%,\
  $(shell grep -rlE --include='*.t' --include='test_*.c' \
    '^(\#|//) Only in make check-long: ' testsuite)))
in_gate = $(filter-out \
  $(foreach d,testsuite $(B)/test $(B)/asan $(B)/tsan,$(LONG:%=$d/%)),$1)
not_in_gate = $(filter-out $(in_gate),$1)

# Tests that make check leaves out since nothing of theirs has changed; found out when it
# is needed.
UNCHANGED = $(eval UNCHANGED := $(patsubst %,testsuite/%,$(shell testsuite/unchanged))$(if \
  $(filter-out 0,$(.SHELLSTATUS)),$(error testsuite/after-changes: wrong line)))$(UNCHANGED)

# clean-tree.t looks for files that the tests before it left behind.
TESTS ?= $(filter-out $(UNCHANGED),$(call in_gate,$(ALL_TESTS))) \
  testsuite/build/clean-tree.t

# Tests without their packages are skipped.
.PHONY: test-packages
test-packages:
	@build-aux/deps debian-packages.txt build check || \
	  echo "make check: tests that need these packages are skipped" >&2
.PHONY: long-test-packages
long-test-packages:
	@build-aux/deps debian-packages.txt || \
	  echo "make check-rest: tests that need these packages are skipped" >&2

.PHONY: built-for-tests check check-sanitizers ring-tests sanitized
ring-tests: $(RING_TESTS)
# ccache keeps objects by the contents of all that they are compiled from, for the next
# clone.  Their debugging information has the place of the clone that compiled them first.
CACHED = $(if $(wildcard /usr/lib/ccache),PATH=/usr/lib/ccache:$$PATH \
  CCACHE_BASEDIR=$(CURDIR) CCACHE_NOHASHDIR=1)
# All at once, since neither configure nor upstream's make keeps all processors
# busy.
built-for-tests: test-packages $(DONE)/graft $(PAGE_FILES)
	@$(CACHED) $(MAKE) $(IN_PARALLEL) FROM_STOCK=yes all stage stock \
	  $(filter-out $(RING_TWICE),$(RING_TESTS)) sanitized $(if $(FUZZ_WORKS),fuzz-build)
	@mkdir -p $(B)/test

# The commit has passed if all ran but the unchanged, on its files; clean-tree.t sees changes that
# come meanwhile.
check: built-for-tests ## the gate that each change passes: 20 minutes
	@git rev-parse HEAD >$(B)/test/commit 2>/dev/null || true
	@git status --porcelain >$(B)/test/tree-before 2>/dev/null || true
	@echo "testsuite/unsteady leaves out $(words $(UNSTEADY)) programs," \
	  "testsuite/after-changes $(words $(UNCHANGED))"
	@$(TEST_ENV) testsuite/run \
	  $(call in_gate,$(filter-out $(RING_TWICE),$(RING_TESTS)) $(SANITIZED_RUNS)) \
	  $(TESTS)
	@$(if $(filter file,$(origin TESTS)),if ! test -s $(B)/test/tree-before && \
	  git rev-parse HEAD 2>/dev/null | cmp -s - $(B)/test/commit; then \
	  cp $(B)/test/commit $(B)/test/passed; fi)

# Tests that need neither an OCaml toolchain nor OCaml's headers: C programs
# without the runtime's sources, and the scripts that say so.
QUICK_RING_TESTS := $(call in_gate,$(patsubst testsuite/ring/%.c,$(B)/test/ring/%,\
  $(shell grep -L '^// BUILD:.*_build/ocaml' testsuite/ring/test_*.c)))
QUICK_TESTS := $(call in_gate,$(sort $(shell grep -rlx --include='*.t' \
  '\# Needs no OCaml.' testsuite)))

.PHONY: check-quick
check-quick: ## tests of libeventring and the command, without OCaml: a minute
	@$(MAKE) $(IN_PARALLEL) lib tool $(QUICK_RING_TESTS)
	@$(TEST_ENV) testsuite/run $(QUICK_RING_TESTS) $(QUICK_TESTS)

.PHONY: check-page
check-page: test-packages all stage ## all tests of the monitor's page, in Chromium: 15 minutes
	@$(TEST_ENV) testsuite/run $(wildcard testsuite/web/*.t)

# Hours, with the default of SOAK_SECONDS and FUZZ_SECONDS half of one.
.PHONY: check-long check-rest
check-rest: built-for-tests ring-tests long-test-packages $(if $(ARM64_WORKS),$(DONE)/arm64) ## the tests that the gate leaves out
	@$(CACHED) $(MAKE) $(IN_PARALLEL) variant-for-tests
	@$(TEST_ENV) testsuite/run $(RING_TWICE) $(call in_gate,$(UNCHANGED)) $(call not_in_gate,\
	  $(filter-out $(RING_TWICE),$(RING_TESTS)) $(SANITIZED_RUNS) $(ALL_TESTS))
check-long: check check-rest check-sanitizers check-opam check-model check-upstream check-traced check-arm64 soak fuzz ## all of it: check and its rest, sanitizers, opam, upstream's testsuite, arm64, soak, fuzz, the whole model

# In the recipe, so that the compiler is tried only where it matters.  What others
# use, too, is made before.
sanitized: lib $(PAGE_OBJ) $(DONE)/ocaml-configure
	@$(if $(strip $(SANITIZED_RUNS)),\
	  $(MAKE) --no-print-directory $(SANITIZED_RUNS))
check-sanitizers: all stage ring-tests sanitized ## ASan, UBSan, TSan, memcheck; arm64 in qemu
	@$(if $(SANITIZED_MORE),$(MAKE) --no-print-directory $(SANITIZED_MORE))
	@$(TEST_ENV) testsuite/run $(SANITIZED_RUNS) $(SANITIZED_MORE) $(SANITIZER_TESTS)

.PHONY: check-opam
check-opam: all stock ## opam builds the packages, without network: 15 minutes
	@$(TEST_ENV) testsuite/run testsuite/build/opam-switch

.PHONY: check-model
check-model: ## every execution of the ring's protocol, small sizes, by SPIN
	@testsuite/model/check full

# The checks include OCaml's headers: configured, not built.
.PHONY: check-static
check-static: $(DONE)/ocaml-configure ## clang-tidy and cppcheck over our C code
	@$(TEST_ENV) testsuite/run $(wildcard testsuite/static/*.t)

# Tests of what depends on the release of OCaml.
VERSION_TESTS := $(sort $(wildcard testsuite/ocaml/*.t testsuite/stock/*.t)) \
  testsuite/profile/ocaml.t testsuite/build/events.t \
  testsuite/build/toolchain.t testsuite/upstream/selected.t

.PHONY: check-versions version-tests
version-tests:
	@$(TEST_ENV) testsuite/run $(VERSION_TESTS)
check-versions: all stage ## with each OCaml whose sources are in SOURCES=DIR: build, tests
	@build-aux/check-versions $(ABS) $(or $(SOURCES),"")

SOAK_SECONDS ?= 60

# Without qemu or the cross compiler, most of it is skipped.
.PHONY: arm64-native check-arm64
arm64-native: stage
	@$(if $(ARM64_WORKS),$(MAKE) --no-print-directory $(DONE)/arm64-native)
check-arm64: all arm64-native $(ARM64_RUNS) ## programs for arm64 in qemu: bytecode, native code, control, samples
	@$(TEST_ENV) SOAK_SECONDS=$(SOAK_SECONDS) \
	  testsuite/run $(ARM64_TESTS) $(if $(ARM64_WORKS),$(ARM64_RUNS))

.PHONY: soak
soak: all stage arm64-native ring-tests sanitized ## each part of testsuite/soak, for SOAK_SECONDS
	@$(TEST_ENV) SOAK_SECONDS=$(SOAK_SECONDS) \
	  testsuite/run $(sort $(filter-out %.t,$(wildcard testsuite/soak/*)))

.PHONY: check-upstream
check-upstream: toolchain ## upstream's whole testsuite, compared with stock
	@testsuite/upstream/run --tree $(TREE) --jobs $(JOBS) \
	  --log $(LOG)/check-upstream.log --compare upstream/known-results

.PHONY: check-traced
check-traced: toolchain tool ## the same, with all that runs being traced
	@testsuite/upstream/run --tree $(TREE) --jobs $(JOBS) \
	  --traced $(B)/bin/eventring --log $(LOG)/check-traced.log \
	  --compare upstream/known-results

# The benchmark bench/run-NAME is bench-NAME; bench/README.md says what each measures.
BENCHES := $(patsubst bench/run-%,bench-%,\
  $(filter-out %-programs %-against,$(wildcard bench/run-*)))
RUN_BENCH = @EVENTRING_BUILD=$(ABS) bench

.PHONY: bench bench-against bench-report $(BENCHES)
bench: all stage stock ## whole programs, timed; BENCH=full for large ones; bench/README.md: others
	$(RUN_BENCH)/run-programs
bench-against: $(if $(VERSION),all stage stock) ## whole programs against VERSION=, a revision, a toolchain's folder or stock
	@test -n "$(VERSION)" || { echo "make bench-against needs VERSION=, a git" \
	  "revision, the folder of a toolchain or stock" >&2; exit 2; }
	$(RUN_BENCH)/run-against $(ARGS) "$(VERSION)"
bench-probes: ## what a probe costs, beside stock OCaml's
bench-profile: ## the cost of samples of processor time
$(BENCHES): bench-%: all stage stock
	$(RUN_BENCH)/run-$* $(ARGS)
bench-report: ## a page with plots, of what the benchmarks left: TO=folder to keep it
	$(RUN_BENCH)/report $(if $(TO),--to $(TO))

##@ The rest

.PHONY: deps deps-check
deps: ## install the Debian packages that building needs, or print the command
	@build-aux/deps debian-packages.txt build
deps-check: ## the same for all packages, those for testing included
	@build-aux/deps debian-packages.txt

.PHONY: demo demo-run
demo: ## from a fresh checkout to a traced multi-domain program
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory demo-run
demo-run: all stage
	@build-aux/demo $(B)

.PHONY: monitor
monitor: all stage ## a demo server, live in the browser, until Ctrl-C
	@build-aux/monitor $(B)

.PHONY: clean distclean help
clean: ## remove what was built, keep the sources and the configuration
	rm -rf $(filter-out $(B)/upstream $(B)/config.%,$(wildcard $(B)/*))

distclean: ## remove _build
	rm -rf $(B)

help: ## this list
	@awk -F ' *:.*## ' '/^##@/ { print substr($$0, 5) ":" } \
	  /^[a-z-]+:.* ## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: PREFIX DESTDIR JOBS TEST_JOBS CC CFLAGS OCAML_FLAGS VARIANT_PREFIX DISTS"
