import { Group, Text, TextInput } from '@mantine/core'
import { isRandom } from '@rollkey/contract/rules'
import { useState } from 'react'
import { chanceSentence } from './chance.ts'
import { choiceSentence, unitOf } from './bucket.ts'
import { Section } from '../../ui/section.tsx'
import { BucketStrip } from './bucket-strip.tsx'

interface TrySectionProps {
  readonly name: string
  readonly chance: number
}

/** Which value somebody gets. What is typed stays on the page. */
export function TrySection({ name, chance }: TrySectionProps) {
  const [seed, setSeed] = useState('')
  const [key, setKey] = useState('')
  const isDrawn = isRandom({ seed, key })
  const unit = unitOf(name, seed, key)
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
  return (
    <Section title="Who gets what">
      <Text size="sm" c="dimmed">
        Computed on this page as the service does it: nothing is sent, counted or billed.
      </Text>
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          {...plain}
          label="Seed"
          description="Such as the id of a user"
          value={seed}
          onChange={(event) => setSeed(event.currentTarget.value)}
        />
        <TextInput
          {...plain}
          label="Key"
          description="Such as the name of an experiment"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Group>
      <Text role="status">
        {isDrawn
          ? `Without seed and key, each evaluation draws anew. ${chanceSentence(chance, 'evaluations')}`
          : choiceSentence(unit, chance)}
      </Text>
      {!isDrawn && <BucketStrip unit={unit} chance={chance} />}
    </Section>
  )
}
