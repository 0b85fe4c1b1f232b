import { Kbd, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useCommands } from './commands.ts'
import classes from './search-input.module.css'

interface SearchInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The search box of a page: the slash key leads to it, Escape empties it. */
export function SearchInput({ label, value, onChange }: SearchInputProps) {
  const box = useRef<HTMLInputElement>(null)
  useCommands([{ label, keys: '/', isKeyOnly: true, run: () => box.current?.focus() }])
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
