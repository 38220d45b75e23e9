/* SPDX-License-Identifier: Apache-2.0 */
/* Several models in one file: each comes back with the bytes that it has in a file of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/model_file.h"
#include "support/calls.h"

#include <stdlib.h>
#include <string.h>

static void *bytes_of(const nim_model *model, size_t *size) {
    nim_error error = {0};
    stop_on(nim_model_save_memory(model, NULL, 0, size, &error), &error);
    char *bytes = malloc(*size);
    stop_on(nim_model_save_memory(model, bytes, *size, size, &error), &error);
    return bytes;
}

static void assert_same_model(const nim_model *left, const nim_model *right) {
    size_t a_size, b_size;
    char *a = bytes_of(left, &a_size), *b = bytes_of(right, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
}

static void *write_both(struct fixture *fixture, const char *const *prefix, size_t *size) {
    nim_error error = {0};
    struct model_writer writer = {.name = "both"};
    struct whole_output output = {.name = "both", .write = whole_memory_write, .size = size};
    assert_true(model_writer_text(&writer, "", "format", FILE_FORMAT) &&
                model_writer_text(&writer, "", "format_version", FILE_FORMAT_VERSION));
    for (size_t k = 0; k < 2; k++)
        stop_on(model_save_into(&writer, prefix[k], fixture[k].model, &error), &error);
    output.capacity = 1 << 20;
    char *bytes = output.bytes = malloc(output.capacity);
    stop_on(model_writer_end(&writer, NIM_OK, &output, &error), &error);
    assert_true(*size <= output.capacity);
    return bytes;
}

static void two_models_in_one_file(void **state) {
    (void)state;
    const char *const prefix[] = {"fit1.", "fit10."};
    struct fixture fixture[2];
    struct problem other = small;
    struct model_reader reader;
    nim_error error = {0};
    other.input = "latent";
    other.kernel = "linear+matern32";
    begin(&fixture[0], &small);
    begin(&fixture[1], &other);
    for (size_t k = 0; k < 2; k++) {
        stop_on(nim_model_train(fixture[k].model, &fixture[k].data, NULL, NULL, &error), &error);
        stop_on(nim_model_set_note(fixture[k].model, "table", prefix[k], &error), &error);
    }
    size_t size;
    char *bytes = write_both(fixture, prefix, &size), *copy;
    stop_on(whole_memory_read("both", bytes, size, &copy, &error), &error);
    stop_on(model_reader_open(&reader, "both", copy, size, &error), &error);
    for (size_t k = 0; k < 2; k++) {
        nim_model *loaded;
        reader.prefix = prefix[k];
        stop_on(model_load_from(&reader, &loaded), &error);
        assert_same_model(fixture[k].model, loaded);
        assert_string_equal(nim_model_note(loaded, "table"), prefix[k]);
        nim_model_free(loaded);
    }
    nim_model *none = NULL;
    reader.prefix = "fit2.";
    assert_int_equal(model_load_from(&reader, &none), NIM_BAD_FILE);
    assert_null(none);
    assert_non_null(strstr(error.message, "'fit2.classes'"));
    model_reader_free(&reader);
    free(bytes);
    for (size_t k = 0; k < 2; k++)
        fixture_free(&fixture[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_models_in_one_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
