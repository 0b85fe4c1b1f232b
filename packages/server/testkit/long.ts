/** `npm run test:long` runs the same tests for longer. */
export const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
