/** Texts of the checks of inputs, and names of roles. */

export const labels = {
  tooShort: (min: number) => `Use at least ${min} characters.`,
  tooLong: (max: number) => `Use at most ${max} characters.`,
  email: 'Enter an email address.',
  organizationSlug: 'Use 1 to 63 lower-case letters, digits and dashes, starting with a letter or digit.',
  placeSlug: 'Use 1 to 64 letters, digits, dots, underscores and dashes, starting with a letter or digit.',
  roles: { member: 'Member', admin: 'Admin', owner: 'Owner' },
  rolesWithArticle: { member: 'a member', admin: 'an admin', owner: 'an owner' },
} as const
