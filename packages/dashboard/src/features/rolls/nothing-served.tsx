import { Text } from '@mantine/core'
import { RollkeyCommand } from '../../ui/rollkey-command.tsx'
import { useSettings } from '../../session/use-settings.ts'
import type { Place } from '../variables/queries.ts'

interface NothingServedProps {
  readonly place: Place
}

/** What makes counts, where there are none. */
export function NothingServed({ place: { projectSlug, stageSlug } }: NothingServedProps) {
  const { publicUrl } = useSettings()
  return (
    <>
      <Text>
        Nothing was served in this time. What applications evaluate shows here some seconds later. From a terminal that
        is logged in, this evaluates the whole stage:
      </Text>
      <RollkeyCommand
        what="the command that evaluates the stage"
        lines={[`pull --url ${publicUrl} --project ${projectSlug} --stage ${stageSlug}`]}
      />
    </>
  )
}
