import { ForManagers } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { Callers } from './callers.tsx'

export function EvaluationsPage() {
  return (
    <Page
      title="Evaluations"
      lead="Who evaluated how often, by stage. A batch and a pull count once, as on the bill. Days are those of UTC, and go back 400."
    >
      <ForManagers what="see who evaluates">
        <Callers />
      </ForManagers>
    </Page>
  )
}
