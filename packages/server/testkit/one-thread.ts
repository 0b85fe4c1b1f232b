/**
 * Settings with which a test runs npm. The C library before glibc 2.41, which Debian 12 has, can lose the wake-up of one of several threads
 * that wait (https://sourceware.org/bugzilla/show_bug.cgi?id=25847). npm often waits for one file and nothing else, and then does so forever.
 * With one thread for files, each wake-up reaches it.
 */
export const oneThread = { UV_THREADPOOL_SIZE: '1' } as const
