import { Badge, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { browserName } from './browser-name.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { browserSessionsQuery, endSession, type BrowserSession } from './browser-sessions-client.ts'

interface SessionItemProps {
  readonly session: BrowserSession
  /** Whether it is the one of this page. */
  readonly isOwn: boolean
  readonly userId: string
}

export function SessionItem({ session, isOwn, userId }: SessionItemProps) {
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => endSession(session),
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      focusHeading()
    },
  })
  const name = browserName(session.userAgent)
  return (
    <Group component="li" justify="space-between">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {isOwn ? (
            'In use now'
          ) : (
            <>
              Last used <TimeText ms={session.updatedAt.getTime()} />
            </>
          )}
        </Text>
        <ErrorNotice error={end.error} />
      </div>
      {isOwn ? (
        <Badge>This browser</Badge>
      ) : (
        <BusyButton
          size="sm"
          variant="default"
          aria-label={`Sign out ${name}`}
          isBusy={end.isPending}
          onClick={() => end.mutate()}
        >
          Sign out
        </BusyButton>
      )}
    </Group>
  )
}
