/** What is typed after the key that opens the palette and before its field has the focus. */

/** How long the palette may take to appear. Typing after that goes to the page again. */
const appearMs = 3_000

let text = ''
let collecting: AbortController | undefined

/** Collects what is typed until `takeTyping`, so that it neither gets lost nor runs commands of the page. */
export function collectTyping(): void {
  takeTyping()
  collecting = new AbortController()
  const signal = AbortSignal.any([collecting.signal, AbortSignal.timeout(appearMs)])
  globalThis.addEventListener('keydown', collect, { capture: true, signal })
}

/** Returns what was typed, and ends collecting it. */
export function takeTyping(): string {
  collecting?.abort()
  collecting = undefined
  const typed = text
  text = ''
  return typed
}

function collect(event: KeyboardEvent): void {
  const { key } = event
  const isText = key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
  if (!isText && key !== 'Backspace' && key !== 'Enter') return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (isText) text += key
  // An early Enter must not press what has the focus on the page.
  else if (key === 'Backspace') text = text.slice(0, -1)
}
