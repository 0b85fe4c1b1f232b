/** Whether the browser lets a page copy: it does in secure contexts only. */
export function canCopy(): boolean {
  return globalThis.isSecureContext && typeof ClipboardItem !== 'undefined'
}

/** Copies a text that is still being fetched. Some browsers only allow it when it begins within the click or key press. */
export async function copyText(text: Promise<string>): Promise<void> {
  const blob = text.then((content) => new Blob([content], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

/** Browsers begin to read the file at different times after the click. */
const readableMs = 60_000

/** Has the browser save a file. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), readableMs)
}
