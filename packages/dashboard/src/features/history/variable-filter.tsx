import { Autocomplete } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope } from '../../session/use-scope.ts'
import { digestsQuery, type Place } from '../variables/queries.ts'
import classes from './history.module.css'
import { labels } from './labels.ts'

interface VariableFilterProps {
  readonly place: Place
  /** Undefined: all variables are shown. */
  readonly name: string | undefined
  /** Empty: all. */
  readonly onChange: (name: string) => void
}

/** One variable, or all: the present ones are offered, and any other can be entered. */
export function VariableFilter({ place, name = '', onChange }: VariableFilterProps) {
  const { data } = useQuery(digestsQuery(useScope(), place))
  const [typed, setTyped] = useState(name)
  const [shown, setShown] = useState(name)
  // Links change it, too.
  if (name !== shown) {
    setShown(name)
    setTyped(name)
  }
  return (
    <form
      className={classes['filter']}
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <Autocomplete
        aria-label={labels.variable}
        placeholder={labels.allVariables}
        limit={50}
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        classNames={{ options: classes['options'] ?? '', option: 'wrapping' }}
        maxLength={256}
        autoCapitalize="none"
        spellCheck={false}
        clearable
        clearButtonProps={{ 'aria-label': labels.showAllVariables }}
        data={data?.variables.map((variable) => variable.name) ?? []}
        value={typed}
        onChange={(next) => {
          setTyped(next)
          if (next === '') onChange('')
        }}
        onOptionSubmit={onChange}
      />
    </form>
  )
}
