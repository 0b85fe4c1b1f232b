import { useWindowEvent } from '@mantine/hooks'
import type { RefObject } from 'react'

/** The slash key leads to a search box, from wherever nothing is typed and no dialog is open. */
export function useSearchKey(box: RefObject<HTMLInputElement | null>): void {
  useWindowEvent('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isBusy()) return
    event.preventDefault()
    box.current?.focus()
  })
}

function isBusy(): boolean {
  return document.querySelector('[role=dialog], :is(input, select, textarea, [contenteditable]):focus') !== null
}
