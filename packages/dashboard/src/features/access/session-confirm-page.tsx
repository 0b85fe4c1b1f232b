import type { Session } from '@rollkey/sdk/core'
import { Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useScope } from '../../session/scope.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconDevice } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { UntrustedText } from '../../ui/name.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { TimeText } from '../../ui/time.tsx'
import { clientSessionsQuery } from '../../data/sessions.ts'
import { labels } from './labels.ts'
import { confirmSession } from '../../data/access/queries.ts'

const words = labels.session

/** Confirms a CLI session of the person, which cannot do that itself. */
export function SessionConfirmPage() {
  const { sessionId } = useParams({ from: '/signed-in/o/$orgSlug/confirm/$sessionId' })
  const sessions = useQuery(clientSessionsQuery(useScope(), false))
  return (
    <Page title={words.title} width="reading">
      <QueryPart query={sessions} rows={4}>
        {(own) => <Confirmation session={own.find(({ id }) => id === sessionId)} />}
      </QueryPart>
    </Page>
  )
}

interface ConfirmationProps {
  /** Undefined: the person has no such session here. */
  readonly session: Session | undefined
}

function Confirmation({ session }: ConfirmationProps) {
  const scope = useScope()
  const confirm = useMutation({ mutationFn: (id: string) => confirmSession(scope, id) })
  if (confirm.isSuccess) return <Notice kind="success">{words.done}</Notice>
  if (!session) {
    return (
      <EmptyState
        icon={IconDevice}
        title={words.none}
        action={
          <ButtonLink from="/o/$orgSlug" to="./settings/sessions" variant="default">
            {words.seeSessions}
          </ButtonLink>
        }
      >
        {words.noneText}
      </EmptyState>
    )
  }
  const { id, clientName, createdAtMs, lastUsedAtMs } = session
  return (
    <>
      <Text>{words.text}</Text>
      <DescriptionList
        facts={{
          [words.client]: clientName === undefined ? words.unnamed : <UntrustedText>{clientName}</UntrustedText>,
          [words.loggedIn]: <TimeText ms={createdAtMs} />,
          [words.lastUsed]: <TimeText ms={lastUsedAtMs} />,
        }}
      />
      <Notice kind="warning">{words.warning}</Notice>
      <ErrorNotice error={confirm.error} />
      <div>
        <BusyButton isBusy={confirm.isPending} onClick={() => confirm.mutate(id)}>
          {words.submit}
        </BusyButton>
      </div>
    </>
  )
}
