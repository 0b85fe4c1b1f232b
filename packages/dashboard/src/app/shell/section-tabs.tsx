import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { PageTabsContext, TabLink, TabLinks } from '../../ui/page.tsx'
import { labels } from '../labels.ts'

const { pages: names } = labels
/** Only the page itself is current, not those whose address begins like its own. */
const exactly = { exact: true, includeSearch: false }

/** Returns whether it is known which tabs the viewer has. Tabs that come later would move others away from the pointer. */
function useAreTabsKnown(): boolean {
  return useQuery(whoamiQuery(useScope())).data !== undefined
}

export function SettingsTabs() {
  const areKnown = useAreTabsKnown()
  const mayManage = useMayAnywhere('manage')
  const managesAll = useMay()('manage')
  return (
    <PageTabsContext
      value={
        <TabLinks label={names.settings} areKnown={areKnown}>
          <TabLink from="/o/$orgSlug" to="./settings" activeOptions={exactly}>
            {names.general}
          </TabLink>
          {mayManage && (
            <TabLink from="/o/$orgSlug" to="./settings/tokens">
              {names.tokens}
            </TabLink>
          )}
          {mayManage && (
            <TabLink from="/o/$orgSlug" to="./settings/keys">
              {names.keys}
            </TabLink>
          )}
          {mayManage && (
            <TabLink from="/o/$orgSlug" to="./settings/trusts">
              {names.trusts}
            </TabLink>
          )}
          {managesAll && (
            <TabLink from="/o/$orgSlug" to="./settings/webhooks">
              {names.webhooks}
            </TabLink>
          )}
          {managesAll && (
            <TabLink from="/o/$orgSlug" to="./settings/sign-in">
              {names.signIn}
            </TabLink>
          )}
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

export function MembersTabs() {
  const areKnown = useAreTabsKnown()
  const mayManage = useMayAnywhere('manage')
  const managesAll = useMay()('manage')
  const tabs = (
    <TabLinks label={names.members} areKnown={areKnown}>
      <TabLink from="/o/$orgSlug" to="./members" activeOptions={exactly}>
        {names.members}
      </TabLink>
      {managesAll && (
        <TabLink from="/o/$orgSlug" to="./members/access" search={{}}>
          {names.access}
        </TabLink>
      )}
      <TabLink from="/o/$orgSlug" to="./members/groups">
        {names.groups}
      </TabLink>
      <TabLink from="/o/$orgSlug" to="./members/roles">
        {names.roles}
      </TabLink>
    </TabLinks>
  )
  return (
    <PageTabsContext value={(mayManage || !areKnown) && tabs}>
      <Outlet />
    </PageTabsContext>
  )
}

export function UsageTabs() {
  const mayManage = useMay()('manage')
  return (
    <PageTabsContext
      value={
        <TabLinks label={names.usage}>
          <TabLink from="/o/$orgSlug" to="./usage" activeOptions={exactly}>
            {names.usage}
          </TabLink>
          {mayManage && (
            <TabLink from="/o/$orgSlug" to="./usage/callers">
              {names.callers}
            </TabLink>
          )}
        </TabLinks>
      }
    >
      <Outlet />
    </PageTabsContext>
  )
}
