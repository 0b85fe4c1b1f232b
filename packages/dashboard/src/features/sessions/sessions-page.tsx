import { Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { manages } from '../../lib/roles.ts'
import { Page } from '../../ui/page.tsx'
import { useScope } from '../../session/use-scope.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import { SessionList } from './session-list.tsx'

/** Those of the browser are on the account page. */
export function SessionsPage() {
  const { data: whoami } = useQuery(whoamiQuery(useScope()))
  const [everyone, setEveryone] = useState(false)
  return (
    <Page title="Sessions" lead="Command-line clients that are logged in to this organization.">
      {whoami?.role !== undefined && manages(whoami.role) && (
        <Switch
          label="Show everyone’s"
          checked={everyone}
          onChange={(event) => setEveryone(event.currentTarget.checked)}
        />
      )}
      <SessionList everyone={everyone} ownUserId={whoami?.idpUserId} />
    </Page>
  )
}
