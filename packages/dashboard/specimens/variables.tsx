import { Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { KindIcon, type Status, StatusBadge, StatusDot } from '../src/ui/status.tsx'
import { MaskedValue } from '../src/ui/masked-value.tsx'
import { Name } from '../src/ui/name.tsx'
import { SplitBar } from '../src/ui/split-bar.tsx'
import { Specimen } from './specimen.tsx'

const statuses: Readonly<Record<Status, string>> = {
  same: 'Same',
  different: 'Different',
  missing: 'Missing',
  'missing-in-production': 'Missing in prod',
  proposed: 'A change is proposed',
  planned: 'A change is planned',
  draft: 'Not saved yet',
  unreadable: 'Cannot be opened',
  protected: 'Protected',
  production: 'prod',
}
const kinds = ['secret', 'plain', 'client', 'ab_roll'] as const
const shares = [0, 0.01, 0.25, 0.5, 0.99, 1]

/** What tables say about variables. */
export function Variables() {
  const entries = Object.entries(statuses) as [Status, string][]
  return (
    <>
      <Specimen title="Status">
        <Group>
          {entries.map(([status, words]) => (
            <StatusBadge key={status} status={status}>
              {words}
            </StatusBadge>
          ))}
        </Group>
        <Group>
          {entries.map(([status, words]) => (
            <StatusDot key={status} status={status}>
              {words}
            </StatusDot>
          ))}
        </Group>
      </Specimen>
      <Specimen title="Kinds and names">
        <Group>
          {kinds.map((kind) => (
            <KindIcon key={kind} kind={kind} />
          ))}
          <Name isCopyable>DATABASE_URL</Name>
        </Group>
        <Stack maw={240}>
          <Name isCopyable>PAYMENT_PROVIDER_WEBHOOK_SIGNING_SECRET_OF_THE_SECOND_ACCOUNT</Name>
        </Stack>
      </Specimen>
      <Specimen title="Masked value">
        <Value />
        <Value isShown />
      </Specimen>
      <Specimen title="Shares of A and B">
        <Group>
          {shares.map((share) => (
            <SplitBar key={share} share={share} label="Chance of A" />
          ))}
        </Group>
      </Specimen>
    </>
  )
}

interface ValueProps {
  readonly isShown?: boolean
}

function Value({ isShown = false }: ValueProps) {
  const [isRevealed, setRevealed] = useState(isShown)
  return (
    <MaskedValue
      what="API_KEY in prod"
      value={isRevealed ? 'an-example-value' : undefined}
      onReveal={() => setRevealed(true)}
      onHide={() => setRevealed(false)}
    />
  )
}
