/**
 * The locale of dates and numbers: the reader's, which is the browser's default. Words such as "3 hours ago" are part of
 * sentences and stay in the language of the application.
 */
export const readerLocale: string | undefined = undefined
