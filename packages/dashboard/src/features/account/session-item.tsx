import { Badge, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from '../../ui/busy-button.tsx'
import { browserName } from './browser-name.ts'
import { focusHeading } from '../../ui/focus-heading.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { browserSessionsQuery, endSession, type BrowserSession } from './browser-sessions.ts'
import { labels } from './labels.ts'
import { toast } from '../../ui/toast.ts'

interface SessionItemProps {
  readonly session: BrowserSession
  /** Whether this browser uses it. */
  readonly isOwn: boolean
  readonly userId: string
}

export function SessionItem({ session, isOwn, userId }: SessionItemProps) {
  const name = browserName(session.userAgent)
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => endSession(session),
    onSuccess: async () => {
      await queryClient.invalidateQueries(browserSessionsQuery(userId))
      toast.success(labels.browsers.signedOut(name))
      focusHeading()
    },
  })
  return (
    <Group component="li" justify="space-between">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {isOwn ? (
            labels.browsers.active
          ) : (
            <>
              {labels.browsers.lastUsed} <TimeText ms={session.updatedAt.getTime()} />
            </>
          )}
        </Text>
        <ErrorNotice error={end.error} />
      </div>
      {isOwn ? (
        <Badge>{labels.browsers.own}</Badge>
      ) : (
        <BusyButton
          size="sm"
          variant="default"
          aria-label={labels.browsers.signOutOf(name)}
          isBusy={end.isPending}
          onClick={() => end.mutate()}
        >
          {labels.browsers.signOut}
        </BusyButton>
      )}
    </Group>
  )
}
