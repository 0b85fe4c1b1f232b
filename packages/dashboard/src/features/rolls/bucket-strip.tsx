import { Group, Text } from '@mantine/core'
import classes from './bucket-strip.module.css'

interface BucketStripProps {
  readonly unit: number
  readonly chance: number
}

/** Where a bucket lies between 0 and 1. A sentence beside it says the same. */
export function BucketStrip({ unit, chance }: BucketStripProps) {
  return (
    <div aria-hidden>
      <div className={classes['strip']}>
        <div className={classes['a']} style={{ width: `${chance * 100}%` }} />
        <div className={classes['bucket']} style={{ insetInlineStart: `${unit * 100}%` }} />
      </div>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          0{chance > 0 && ' · A'}
        </Text>
        <Text size="sm" c="dimmed">
          {chance < 1 && 'B · '}1
        </Text>
      </Group>
    </div>
  )
}
