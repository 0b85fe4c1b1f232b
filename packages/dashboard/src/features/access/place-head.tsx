import type { Stage } from '@rollkey/sdk/core'
import { Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { TextLink } from '../../ui/buttons.tsx'
import { IconDown } from '../../ui/icons.ts'
import { StatusDot } from '../../ui/status.tsx'
import { ProtectedMark } from '../../parts/projects/protected-mark.tsx'
import { stageFocus } from '../../data/projects/commands.ts'
import { RulesDrawer } from '../../parts/protection/rules-drawer.tsx'
import classes from './access.module.css'
import { labels } from './labels.ts'
import { EndProtectionDialog } from '../../parts/protection/end-protection-dialog.tsx'
import type { Access, NamedPlace } from './use-access.ts'
import { labels as protectionLabels } from '../../parts/protection/labels.ts'

const words = labels.access

interface PlaceHeadProps {
  readonly access: Access
  readonly place: NamedPlace
}

/** Names a column: a stage with its menu, a project with a link to its page, or what the page itself is about. */
export function PlaceHead({ access: { within }, place: { projectSlug, stage, name } }: PlaceHeadProps) {
  if (projectSlug !== undefined && stage) return <StageHead projectSlug={projectSlug} stage={stage} />
  if (projectSlug === undefined || projectSlug === within.projectSlug) return name
  return (
    <TextLink from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug }} search={{}}>
      {name}
    </TextLink>
  )
}

interface StageHeadProps {
  readonly projectSlug: string
  readonly stage: Stage
}

/** Shows the name of a stage, whether it is protected, and what can be done about that. */
function StageHead({ projectSlug, stage }: StageHeadProps) {
  const { stageSlug, name, isProduction, isProtected = false } = stage
  const [isEnding, setEnding] = useState(false)
  const [hasRules, setRules] = useState(false)
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  return (
    <>
      <Menu withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton
            className={classes['stage']}
            data-focus={stageFocus(stageSlug)}
            aria-label={words.stageMenu(name, isProtected)}
          >
            {name}
            <ProtectedMark isProtected={isProtected} />
            {isProduction && <StatusDot status="production">{words.production}</StatusDot>}
            <IconDown size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setRules(true)}>
            {isProtected ? protectionLabels.rules.item : protectionLabels.protect(name)}
          </Menu.Item>
          {isProtected && <Menu.Item onClick={() => setEnding(true)}>{protectionLabels.unprotect}</Menu.Item>}
          <Menu.Item
            onClick={() =>
              void navigate({
                to: './p/$projectSlug/access/holders',
                params: { projectSlug },
                search: { stage: stageSlug },
              })
            }
          >
            {words.holders}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RulesDrawer projectSlug={projectSlug} stage={stage} opened={hasRules} onClose={() => setRules(false)} />
      <EndProtectionDialog projectSlug={projectSlug} stage={stage} opened={isEnding} onClose={() => setEnding(false)} />
    </>
  )
}
