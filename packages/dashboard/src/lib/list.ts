/** Lists for sentences, such as "dev, staging and prod". */
export const list = new Intl.ListFormat('en', { type: 'conjunction' })
