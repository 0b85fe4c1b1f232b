/**
 * Gives the browser a language that `Intl` accepts. A Linux without a locale has `en-US@posix`, which is not a language tag: uPlot, which
 * formats numbers in it, could not be loaded.
 */
export function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    const { locale } = new Intl.DateTimeFormat().resolvedOptions()
    Object.defineProperty(navigator, 'language', { value: locale })
  }
}
