import { Button, Text } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { useState } from 'react'
import { countText } from '../../lib/numbers.ts'

interface ExportProgressProps {
  /** Of the entries so far. */
  readonly count: number
  readonly onCancel: () => void
}

/** Nothing needs to be said about what takes a moment. */
const quietMs = 2_000

export function ExportProgress({ count, onCancel }: ExportProgressProps) {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), quietMs, { autoInvoke: true })
  if (!isLong) return null
  return (
    <>
      <Text role="status">{countText(count)} entries so far</Text>
      <Button size="sm" variant="default" onClick={onCancel}>
        Cancel export
      </Button>
    </>
  )
}
