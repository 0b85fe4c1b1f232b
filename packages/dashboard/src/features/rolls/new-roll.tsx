import { Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { newRollCommand } from '../../data/projects/commands.ts'
import { currentStages, useProjectsByUse } from '../../data/projects/queries.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { requestCommand, useCommands } from '../../ui/commands.ts'
import { IconAdd } from '../../ui/icons.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'

const { rolls: words } = labels

interface NewRollProps {
  /** The project that the page is about. Absent: the person chooses one, if there are several. */
  readonly projectSlug?: string | undefined
  /** Shown if the person may create a roll in no project. @default nothing */
  readonly otherwise?: ReactNode
}

/** Opens the form of a new roll, in a project that the person may change. */
export function NewRoll({ projectSlug: shown, otherwise }: NewRollProps) {
  const { orgSlug } = useScope()
  const may = useMay()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const writable = useProjectsByUse().filter(
    (project) => may('write', { projectSlug: project.projectSlug }) && currentStages(project).length > 0,
  )
  const projects = writable.filter(({ projectSlug }) => projectSlug === (shown ?? projectSlug))
  const [first, ...others] = projects
  const create = async (projectSlug: string): Promise<void> => {
    await navigate({ to: '/o/$orgSlug/p/$projectSlug', params: { orgSlug, projectSlug } })
    requestCommand(newRollCommand(projectSlug))
  }
  const start = (): void => {
    if (first && others.length === 0) void create(first.projectSlug)
    else setAsking(!isAsking)
  }
  useCommands(first ? [{ label: words.create, keys: 'n', icon: IconAdd, run: start }] : [])
  if (!first) return otherwise
  return (
    <Menu
      opened={isAsking}
      onChange={setAsking}
      disabled={others.length === 0}
      position="bottom-end"
      withInitialFocusPlaceholder={false}
      withinPortal={false}
    >
      <Menu.Target>
        <Button leftSection={<IconAdd />} {...(others.length === 0 && { onClick: start, 'aria-haspopup': undefined })}>
          {words.create}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes['projects'] ?? ''}>
        <Menu.Label>{words.createIn}</Menu.Label>
        {projects.map(({ projectSlug, name }) => (
          <Menu.Item key={projectSlug} className="wrapping" onClick={() => void create(projectSlug)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
