/**
 * Whether this is `npm run test:long`, which runs the same tests for longer and also those that `npm test` skips. Cheaper
 * tests cover most of what the skipped ones show.
 */
export const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
