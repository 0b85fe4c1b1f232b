import { Outlet } from '@tanstack/react-router'
import { TabLink, TabLinks } from '../../ui/page.tsx'
import { labels } from '../labels.ts'
import classes from './section-tabs.module.css'

const { pages: names } = labels
/** Only the page itself is current, not those whose address begins like its own. */
const exactly = { exact: true, includeSearch: false }

export function SettingsTabs() {
  return (
    <div className={classes['section']}>
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
      <Outlet />
    </div>
  )
}

export function UsageTabs() {
  return (
    <div className={classes['section']}>
      <TabLinks label={names.usage}>
        <TabLink from="/o/$orgSlug" to="./usage" activeOptions={exactly}>
          {names.usage}
        </TabLink>
        <TabLink from="/o/$orgSlug" to="./usage/callers">
          {names.callers}
        </TabLink>
      </TabLinks>
      <Outlet />
    </div>
  )
}
