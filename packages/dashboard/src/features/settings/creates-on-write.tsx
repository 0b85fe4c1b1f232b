import { Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import { organizationSettingsQuery, setCreatesOnWrite } from './queries.ts'

interface CreatesOnWriteProps {
  readonly createsOnWrite: boolean
  readonly mayChange: boolean
}

const effects = {
  on: 'Whoever sets a variable, say with rollkey set, creates the project and stage that it names, if they are not there yet.',
  off: 'Setting a variable in a project or stage that does not exist is refused, so a mistyped name creates nothing. People create them on the page Projects.',
}

export function CreatesOnWrite({ createsOnWrite, mayChange }: CreatesOnWriteProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (creates: boolean) => setCreatesOnWrite(scope, creates),
    onSettled: () => queryClient.invalidateQueries(organizationSettingsQuery(scope)),
  })
  const isOn = change.isPending ? change.variables : createsOnWrite
  return (
    <>
      {mayChange && (
        <Switch
          label="Create them with the first variable"
          checked={isOn}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
      <Text role="status">{isOn ? effects.on : effects.off}</Text>
      {!mayChange && <Text c="dimmed">Owners and admins of the organization can change this.</Text>}
      <ProblemNotice error={change.error} />
    </>
  )
}
