import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, type RefObject } from 'react'

/** So long somebody pauses who is done typing. */
const pauseMs = 300

interface FilterField<Element> {
  readonly ref: RefObject<Element | null>
  readonly defaultValue: string
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/**
 * For a field whose value is in the address of the page. That follows the typing a moment later, so the field keeps what is
 * typed, and takes what the address says while somebody is elsewhere.
 */
export function useFilterField<Element extends HTMLInputElement | HTMLSelectElement>(
  value: string,
  onChange: (value: string) => void,
): FilterField<Element> {
  const ref = useRef<Element>(null)
  const changeLater = useDebouncedCallback(onChange, pauseMs)
  useEffect(() => {
    const field = ref.current
    if (field && document.activeElement !== field) field.value = value
  }, [value])
  return { ref, defaultValue: value, onChange: ({ currentTarget }) => changeLater(currentTarget.value) }
}
