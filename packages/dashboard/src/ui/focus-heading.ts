/** To the beginning of the page, where what had the focus is gone or is to be skipped. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus()
}
