import { Group, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { browserSessionsQuery, endOtherSessions } from './browser-sessions-client.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { SessionItem } from './session-item.tsx'

interface BrowserSessionsProps {
  readonly viewer: EmbeddedViewer
}

export function BrowserSessions({ viewer: { userId, sessionId } }: BrowserSessionsProps) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(browserSessionsQuery(userId))
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      focusHeading()
    },
  })
  if (!data) return error ? <ProblemNotice error={error} /> : <Loading />
  return (
    <>
      <Stack component="ul" className="plain-list" gap="sm">
        {data.map((session) => (
          <SessionItem key={session.id} session={session} isOwn={session.id === sessionId} userId={userId} />
        ))}
      </Stack>
      <ProblemNotice error={endOthers.error} />
      {data.length > 1 && (
        <Group>
          <BusyButton variant="default" isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out everywhere else
          </BusyButton>
        </Group>
      )}
    </>
  )
}
