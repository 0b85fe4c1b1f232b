import { ForManagers } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { NewTokenButton } from './new-token-button.tsx'
import { TokenList } from './token-list.tsx'

export function TokensPage() {
  return (
    <Page
      title="Service tokens"
      lead="Credentials for applications and CI. They belong to the organization, not to a person."
    >
      <ForManagers what="make and revoke service tokens">
        <NewTokenButton />
        <TokenList />
      </ForManagers>
    </Page>
  )
}
