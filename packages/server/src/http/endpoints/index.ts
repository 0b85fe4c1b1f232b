import type { Handlers } from '../funnel.ts'
import { audit } from './audit.ts'
import { chance } from './chance.ts'
import { copy } from './copy.ts'
import { deviceComplete } from './device-complete.ts'
import { deviceDeny } from './device-deny.ts'
import { devicePoll } from './device-poll.ts'
import { deviceShow } from './device-show.ts'
import { deviceStart } from './device-start.ts'
import { digests } from './digests.ts'
import { evaluateBatch } from './evaluate-batch.ts'
import { evaluate } from './evaluate.ts'
import { events } from './events.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { logout } from './logout.ts'
import { manifest } from './manifest.ts'
import { organizationUpdate } from './organization-update.ts'
import { organization } from './organization.ts'
import { projectCreate } from './project-create.ts'
import { projectUpdate } from './project-update.ts'
import { projects } from './projects.ts'
import { pull } from './pull.ts'
import { restore } from './restore.ts'
import { reveal } from './reveal.ts'
import { rollCounts } from './roll-counts.ts'
import type { Rooms } from './rooms.ts'
import { search } from './search.ts'
import { sessionList } from './session-list.ts'
import { sessionRevoke } from './session-revoke.ts'
import { session } from './session.ts'
import { stageCreate } from './stage-create.ts'
import { stageUpdate } from './stage-update.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRefresh } from './token-refresh.ts'
import { tokenRevoke } from './token-revoke.ts'
import { usageCallers } from './usage-callers.ts'
import { usage } from './usage.ts'
import { webSettings } from './web-settings.ts'
import { webSignIn } from './web-sign-in.ts'
import { webToken } from './web-token.ts'
import { whoami } from './whoami.ts'
import { write } from './write.ts'

/** The API. A missing endpoint, or one of another type than its contract row, does not compile. */
export function createHandlers(rooms: Rooms): Handlers {
  return {
    evaluate: evaluate(rooms),
    evaluateBatch: evaluateBatch(rooms),
    pull: pull(rooms),
    list: list(rooms),
    write: write(rooms),
    chance: chance(rooms),
    copy: copy(rooms),
    reveal: reveal(rooms),
    manifest: manifest(rooms),
    digests: digests(rooms),
    history: history(rooms),
    restore: restore(rooms),
    rollCounts: rollCounts(rooms),
    audit: audit(rooms),
    projects: projects(rooms),
    projectCreate: projectCreate(rooms),
    projectUpdate: projectUpdate(rooms),
    stageCreate: stageCreate(rooms),
    stageUpdate: stageUpdate(rooms),
    organization: organization(rooms),
    organizationUpdate: organizationUpdate(rooms),
    usage: usage(rooms),
    usageCallers: usageCallers(rooms),
    search: search(rooms),
    events: events(rooms),
    whoami: whoami(rooms),
    tokenCreate: tokenCreate(rooms),
    tokenList: tokenList(rooms),
    tokenRevoke: tokenRevoke(rooms),
    deviceStart: deviceStart(rooms),
    deviceComplete: deviceComplete(rooms),
    deviceShow: deviceShow(rooms),
    deviceDeny: deviceDeny(rooms),
    devicePoll: devicePoll(rooms),
    tokenRefresh: tokenRefresh(rooms),
    logout: logout(rooms),
    sessionList: sessionList(rooms),
    sessionRevoke: sessionRevoke(rooms),
    session: session(rooms),
    webSettings: webSettings(rooms),
    webSignIn: webSignIn(rooms),
    webToken: webToken(rooms),
  }
}
