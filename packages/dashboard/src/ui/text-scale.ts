/** How large the person's browser shows text, in relation to its usual 16 pixels. Sizes that are not in `rem` are multiplied by it. */
export const textScale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1
