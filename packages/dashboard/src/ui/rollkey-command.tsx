import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSettings } from '../session/use-settings.ts'
import { commandLineSumQuery } from '../service/command-line.ts'
import { Command } from './command.tsx'

interface RollkeyCommandProps {
  /** What it is, for those who only hear it. */
  readonly what: string
  /** Command lines without `rollkey`. */
  readonly lines: readonly string[]
}

/** Commands of the command line, which the service itself offers, to paste into a terminal. */
export function RollkeyCommand({ what, lines }: RollkeyCommandProps) {
  return <Command what={what} text={lines.map((line) => `node rollkey.mjs ${line}`).join('\n')} />
}

/** The same, with the download of the command line before. */
export function RollkeyDownload({ what, lines: [first, ...rest] }: RollkeyCommandProps) {
  const { publicUrl } = useSettings()
  const { data: sum } = useQuery(commandLineSumQuery)
  const steps = [
    `curl -fsSO ${publicUrl}/cli/rollkey.mjs`,
    ...(sum ? [`echo "${sum}" | sha256sum -c`] : []),
    `node rollkey.mjs ${first}`,
  ]
  const text = [steps.join(' &&\n  '), ...rest.map((line) => `node rollkey.mjs ${line}`)].join('\n')
  return (
    <>
      <Text>
        This downloads the command line from this service, checks it and runs it. It needs Node 20.19 or newer.
      </Text>
      <Command what={what} text={text} />
    </>
  )
}
