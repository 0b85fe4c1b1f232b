import { Kbd, TextInput } from '@mantine/core'
import { type RefObject, useRef } from 'react'
import { useWindowEvent } from '@mantine/hooks'
import classes from './search-input.module.css'

interface SearchInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The search box of a page: the slash key leads to it, Escape empties it. */
export function SearchInput({ label, value, onChange }: SearchInputProps) {
  const box = useRef<HTMLInputElement>(null)
  useSearchKey(box)
  return (
    <TextInput
      ref={box}
      className={classes['search']}
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={label}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      maxLength={256}
      rightSection={value === '' && <Kbd className={classes['key']}>/</Kbd>}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onChange('')
      }}
    />
  )
}

/** The slash key leads to a search box, from wherever nothing is typed and no dialog is open. */
function useSearchKey(box: RefObject<HTMLInputElement | null>): void {
  useWindowEvent('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isBusy()) return
    event.preventDefault()
    box.current?.focus()
  })
}

function isBusy(): boolean {
  return document.querySelector('[role=dialog], :is(input, select, textarea, [contenteditable]):focus') !== null
}
