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
