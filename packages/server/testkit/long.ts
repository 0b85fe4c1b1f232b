/**
 * Whether tests run in full, as in `npm run test:long`: for longer, and also those that `npm test` skips. Cheaper tests cover
 * most of what the skipped ones show.
 */
export const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
