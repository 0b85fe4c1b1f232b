import { Outlet } from '@tanstack/react-router'
import { PageTabsContext, TabLink, TabLinks } from '../../ui/page.tsx'
import { labels } from '../labels.ts'

const { pages: names } = labels
/** Only the page itself is current, not those whose address begins like its own. */
const exactly = { exact: true, includeSearch: false }

export function SettingsTabs() {
  return (
    <PageTabsContext
      value={
        <TabLinks label={names.settings}>
          <TabLink from="/o/$orgSlug" to="./settings" activeOptions={exactly}>
            {names.general}
          </TabLink>
          <TabLink from="/o/$orgSlug" to="./settings/tokens">
            {names.tokens}
          </TabLink>
          <TabLink from="/o/$orgSlug" to="./settings/sessions">
            {names.sessions}
          </TabLink>
        </TabLinks>
      }
    >
      <Outlet />
    </PageTabsContext>
  )
}

export function UsageTabs() {
  return (
    <PageTabsContext
      value={
        <TabLinks label={names.usage}>
          <TabLink from="/o/$orgSlug" to="./usage" activeOptions={exactly}>
            {names.usage}
          </TabLink>
          <TabLink from="/o/$orgSlug" to="./usage/callers">
            {names.callers}
          </TabLink>
        </TabLinks>
      }
    >
      <Outlet />
    </PageTabsContext>
  )
}
