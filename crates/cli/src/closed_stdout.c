/* Makes a standard output that was closed when the program started recognisable.
 *
 * Before `main`, the Rust runtime opens /dev/null in the place of closed standard streams. After that, nothing tells a closed
 * standard output from one that was discarded on purpose: Node and Python open /dev/null for reading and writing, as the
 * runtime does. So before that, a closed standard output becomes one that cannot be written, which `output.rs` looks for.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void mark_closed_stdout(void) {
    if (fcntl(STDOUT_FILENO, F_GETFD) != -1 || errno != EBADF) {
        return;
    }
    int null = open("/dev/null", O_RDONLY);
    /* Standard input has the lower number and may be closed too. */
    if (null != -1 && null != STDOUT_FILENO) {
        dup2(null, STDOUT_FILENO);
        close(null);
    }
}
