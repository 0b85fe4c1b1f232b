import { Group, SimpleGrid } from '@mantine/core'
import { Avatar } from '../src/ui/name.tsx'
import { ByLine } from '../src/ui/time.tsx'
import { CodeSnippet } from '../src/ui/copy.tsx'
import { IconRobot } from '../src/ui/icons.ts'
import { Keys } from '../src/ui/keys.tsx'
import { Plot } from '../src/ui/plot.tsx'
import { ProgressBar } from '../src/ui/loading.tsx'
import { Panel } from '../src/ui/page.tsx'
import { Sparkline } from '../src/ui/split-bar.tsx'
import { Stat } from '../src/ui/description-list.tsx'
import { Specimen } from './specimen.tsx'

const threeHoursAgoMs = Date.now() - 3 * 60 * 60 * 1000
const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Katherine Johnson', 'Zoë']
const course = [3, 5, 4, 8, 6, 9, 12, 10, 14, 13, 17, 21]
const days = course.map((count, at) => ({ label: `Nov ${at + 1}`, values: [count, 2 * count] }))
const total = days.map(({ label, values }) => ({ label, values: values.slice(1) }))
const code = {
  CLI: 'rollkey get API_KEY --project web-shop --stage dev',
  SDK: "const key = await rollkey.get('API_KEY')",
  curl: 'curl -H "Authorization: Bearer $ROLLKEY_TOKEN" https://rollkey.example/v1/env/evaluate',
}

/** Figures, people and code. */
export function Numbers() {
  return (
    <>
      <Specimen title="Figures">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Panel title="Evaluations">
            <Stat label="This month" value="1,234,567" context="62% of 2,000,000" />
            <Sparkline label="Evaluations of 12 days, rising from 3 to 21" values={course} />
          </Panel>
          <Panel title="Limits">
            <ProgressBar label="Storage" share={0.4} text="10 MB of 25 MB" />
            <ProgressBar label="Evaluations" share={0.85} text="85%" tone="warning" />
            <ProgressBar label="Members" share={1.1} text="11 of 10" tone="danger" />
          </Panel>
          <Panel title="People">
            <Group gap={4}>
              {people.map((name) => (
                <Avatar key={name} name={name} />
              ))}
              <Avatar name="CI" icon={IconRobot} />
            </Group>
            <ByLine name="Ada Lovelace" ms={threeHoursAgoMs} />
            <ByLine name="CI of web-shop" icon={IconRobot} ms={threeHoursAgoMs} />
            <Group gap="md">
              <Keys>mod+K</Keys>
              <Keys>?</Keys>
            </Group>
          </Panel>
        </SimpleGrid>
      </Specimen>
      <Specimen title="Plots">
        <Plot label="Evaluations of 12 days by side" series={['A', 'B']} columns={days} />
        <Plot label="Evaluations of 12 days" series={['Evaluations']} columns={total} />
      </Specimen>
      <Specimen title="Code">
        <CodeSnippet what="Read API_KEY" code={code} />
      </Specimen>
    </>
  )
}
