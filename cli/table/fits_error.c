/* SPDX-License-Identifier: Apache-2.0 */
#include "fits_error.h"

#include <fitsio.h>

bool complain_of_fits(struct complaint *complaint, const char *path, int status) {
    char words[FLEN_STATUS] = "", message[FLEN_ERRMSG] = "";
    fits_get_errstatus(status, words);
    fits_read_errmsg(message); /* the oldest, nearest to the cause */
    fits_clear_errmsg();
    int code = status == MEMORY_ALLOCATION ? EXIT_NUMERICAL : EXIT_BAD_INPUT;
    return complain(complaint, code, "%s: FITS: %s%s%s%s", path, words, *message ? " (" : "",
                    message, *message ? ")" : "");
}
