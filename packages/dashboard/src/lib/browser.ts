/** Returns whether the page can copy, which browsers allow only in secure contexts. */
export function canCopy(): boolean {
  return globalThis.isSecureContext && typeof ClipboardItem !== 'undefined'
}

/** Copies a text that is still loading. Some browsers allow a copy only if it begins within the click or key press. */
export async function copyText(text: Promise<string>): Promise<void> {
  const blob = text.then((content) => new Blob([content], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

/** How long the file stays readable, because browsers read it at different times after the click. */
const readableMs = 60_000

/** Has the browser save a file. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), readableMs)
}

/** Whether shortcuts have the Command key in place of Control. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
