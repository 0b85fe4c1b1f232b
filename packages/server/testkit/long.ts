/**
 * `npm run test:long` runs the same tests for longer, and those that `npm test` leaves to it: what they show is mostly shown
 * by others, at less cost.
 */
export const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
