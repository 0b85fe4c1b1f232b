import { createElement, type FunctionComponent, type SVGProps } from 'react'
import { __iconNode as AlertCircle } from '@tabler/icons-react/dist/esm/icons/IconAlertCircle.mjs'
import { __iconNode as AlertTriangle } from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import { __iconNode as Archive } from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs'
import { __iconNode as ArrowBackUp } from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs'
import { __iconNode as ArrowDown } from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs'
import { __iconNode as ArrowRight } from '@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs'
import { __iconNode as ArrowUp } from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs'
import { __iconNode as ArrowsLeftRight } from '@tabler/icons-react/dist/esm/icons/IconArrowsLeftRight.mjs'
import { __iconNode as ArrowsSort } from '@tabler/icons-react/dist/esm/icons/IconArrowsSort.mjs'
import { __iconNode as ArrowsSplit2 } from '@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs'
import { __iconNode as BaselineDensityMedium } from '@tabler/icons-react/dist/esm/icons/IconBaselineDensityMedium.mjs'
import { __iconNode as Bolt } from '@tabler/icons-react/dist/esm/icons/IconBolt.mjs'
import { __iconNode as Book2 } from '@tabler/icons-react/dist/esm/icons/IconBook2.mjs'
import { __iconNode as Braces } from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs'
import { __iconNode as Building } from '@tabler/icons-react/dist/esm/icons/IconBuilding.mjs'
import { __iconNode as Calendar } from '@tabler/icons-react/dist/esm/icons/IconCalendar.mjs'
import { __iconNode as ChartBar } from '@tabler/icons-react/dist/esm/icons/IconChartBar.mjs'
import { __iconNode as Check } from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import { __iconNode as ChevronDown } from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { __iconNode as ChevronLeft } from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import { __iconNode as ChevronRight } from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import { __iconNode as ChevronUp } from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs'
import { __iconNode as CircleCheck } from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs'
import { __iconNode as CircleDashed } from '@tabler/icons-react/dist/esm/icons/IconCircleDashed.mjs'
import { __iconNode as CircleHalf2 } from '@tabler/icons-react/dist/esm/icons/IconCircleHalf2.mjs'
import { __iconNode as ClipboardText } from '@tabler/icons-react/dist/esm/icons/IconClipboardText.mjs'
import { __iconNode as Clock } from '@tabler/icons-react/dist/esm/icons/IconClock.mjs'
import { __iconNode as CloudOff } from '@tabler/icons-react/dist/esm/icons/IconCloudOff.mjs'
import { __iconNode as Columns3 } from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs'
import { __iconNode as Command } from '@tabler/icons-react/dist/esm/icons/IconCommand.mjs'
import { __iconNode as Copy } from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import { __iconNode as DeviceDesktop } from '@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs'
import { __iconNode as DeviceLaptop } from '@tabler/icons-react/dist/esm/icons/IconDeviceLaptop.mjs'
import { __iconNode as Dots } from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
import { __iconNode as DotsVertical } from '@tabler/icons-react/dist/esm/icons/IconDotsVertical.mjs'
import { __iconNode as Download } from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs'
import { __iconNode as Edit } from '@tabler/icons-react/dist/esm/icons/IconEdit.mjs'
import { __iconNode as Equal } from '@tabler/icons-react/dist/esm/icons/IconEqual.mjs'
import { __iconNode as ExternalLink } from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs'
import { __iconNode as Eye } from '@tabler/icons-react/dist/esm/icons/IconEye.mjs'
import { __iconNode as EyeOff } from '@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs'
import { __iconNode as FileText } from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs'
import { __iconNode as Filter } from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs'
import { __iconNode as Fingerprint } from '@tabler/icons-react/dist/esm/icons/IconFingerprint.mjs'
import { __iconNode as Folder } from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import { __iconNode as GitCompare } from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs'
import { __iconNode as GripVertical } from '@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs'
import { __iconNode as HandStop } from '@tabler/icons-react/dist/esm/icons/IconHandStop.mjs'
import { __iconNode as Hash } from '@tabler/icons-react/dist/esm/icons/IconHash.mjs'
import { __iconNode as History } from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs'
import { __iconNode as Inbox } from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs'
import { __iconNode as InfoCircle } from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs'
import { __iconNode as Key } from '@tabler/icons-react/dist/esm/icons/IconKey.mjs'
import { __iconNode as Keyboard } from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs'
import { __iconNode as LayoutDashboard } from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs'
import { __iconNode as LayoutSidebar } from '@tabler/icons-react/dist/esm/icons/IconLayoutSidebar.mjs'
import { __iconNode as LetterT } from '@tabler/icons-react/dist/esm/icons/IconLetterT.mjs'
import { __iconNode as Link } from '@tabler/icons-react/dist/esm/icons/IconLink.mjs'
import { __iconNode as Lock } from '@tabler/icons-react/dist/esm/icons/IconLock.mjs'
import { __iconNode as LockX } from '@tabler/icons-react/dist/esm/icons/IconLockX.mjs'
import { __iconNode as Logout } from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs'
import { __iconNode as Logs } from '@tabler/icons-react/dist/esm/icons/IconLogs.mjs'
import { __iconNode as Mail } from '@tabler/icons-react/dist/esm/icons/IconMail.mjs'
import { __iconNode as Menu2 } from '@tabler/icons-react/dist/esm/icons/IconMenu2.mjs'
import { __iconNode as Moon } from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs'
import { __iconNode as Pencil } from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs'
import { __iconNode as Plus } from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import { __iconNode as Refresh } from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs'
import { __iconNode as Robot } from '@tabler/icons-react/dist/esm/icons/IconRobot.mjs'
import { __iconNode as RotateClockwise } from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs'
import { __iconNode as Search } from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { __iconNode as Selector } from '@tabler/icons-react/dist/esm/icons/IconSelector.mjs'
import { __iconNode as Send } from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import { __iconNode as Settings } from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs'
import { __iconNode as ShieldLock } from '@tabler/icons-react/dist/esm/icons/IconShieldLock.mjs'
import { __iconNode as Stack2 } from '@tabler/icons-react/dist/esm/icons/IconStack2.mjs'
import { __iconNode as Sun } from '@tabler/icons-react/dist/esm/icons/IconSun.mjs'
import { __iconNode as Terminal2 } from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs'
import { __iconNode as ToggleLeft } from '@tabler/icons-react/dist/esm/icons/IconToggleLeft.mjs'
import { __iconNode as Trash } from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import { __iconNode as Upload } from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs'
import { __iconNode as User } from '@tabler/icons-react/dist/esm/icons/IconUser.mjs'
import { __iconNode as UserCircle } from '@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs'
import { __iconNode as UserPlus } from '@tabler/icons-react/dist/esm/icons/IconUserPlus.mjs'
import { __iconNode as Users } from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs'
import { __iconNode as World } from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs'
import { __iconNode as X } from '@tabler/icons-react/dist/esm/icons/IconX.mjs'

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke' | 'ref'> {
  /**
   * Size in CSS pixels.
   * @default 16
   */
  readonly size?: number
}

export type Icon = FunctionComponent<IconProps>

/**
 * Returns an icon in the color of the text. Words say what it means, so screen readers skip it. A table has hundreds of
 * icons, so each is one path and gets its stroke from the style sheet.
 */
function icon(shapes: typeof Check): Icon {
  const shape = createElement('path', { d: shapes.map(([, { d }]) => d).join('') })
  return ({ size = 16, className, ...props }) =>
    createElement(
      'svg',
      {
        viewBox: '0 0 24 24',
        width: size,
        height: size,
        'aria-hidden': true,
        className: className === undefined ? 'icon' : ['icon', className].join(' '),
        ...props,
      },
      shape,
    )
}

// Things that people keep here
export const IconSecret = icon(Lock)
export const IconPlain = icon(Eye)
export const IconClient = icon(World)
export const IconRoll = icon(ArrowsSplit2)
export const IconProject = icon(Folder)
export const IconStage = icon(Stack2)
export const IconOrganization = icon(Building)
export const IconPerson = icon(User)
export const IconPeople = icon(Users)
export const IconRobot = icon(Robot)
export const IconToken = icon(Key)
export const IconSession = icon(Terminal2)
export const IconDevice = icon(DeviceLaptop)
export const IconPasskey = icon(Fingerprint)
export const IconUsage = icon(ChartBar)
export const IconAudit = icon(Logs)
export const IconHistory = icon(History)
export const IconOverview = icon(LayoutDashboard)
export const IconSettings = icon(Settings)
export const IconAccount = icon(UserCircle)
export const IconCalendar = icon(Calendar)
export const IconTime = icon(Clock)
export const IconEmail = icon(Mail)
export const IconDocument = icon(FileText)
export const IconDocumentation = icon(Book2)

// Types of values
export const IconText = icon(LetterT)
export const IconNumber = icon(Hash)
export const IconBoolean = icon(ToggleLeft)
export const IconJson = icon(Braces)

// States
export const IconSame = icon(Equal)
export const IconDifferent = icon(CircleHalf2)
export const IconMissing = icon(CircleDashed)
export const IconDraft = icon(Pencil)
export const IconProposed = icon(Inbox)
export const IconProtected = icon(ShieldLock)
export const IconProduction = icon(Bolt)
export const IconUnreadable = icon(LockX)
export const IconError = icon(AlertCircle)
export const IconWarning = icon(AlertTriangle)
export const IconInfo = icon(InfoCircle)
export const IconSuccess = icon(CircleCheck)
export const IconDone = icon(Check)
export const IconOffline = icon(CloudOff)
export const IconEmpty = icon(Inbox)

// Actions
export const IconAdd = icon(Plus)
export const IconEdit = icon(Edit)
export const IconDelete = icon(Trash)
export const IconCopy = icon(Copy)
export const IconCopied = icon(Check)
export const IconReveal = icon(Eye)
export const IconHide = icon(EyeOff)
export const IconSearch = icon(Search)
export const IconFilter = icon(Filter)
export const IconSort = icon(ArrowsSort)
export const IconSortUp = icon(ArrowUp)
export const IconSortDown = icon(ArrowDown)
export const IconColumns = icon(Columns3)
export const IconDensity = icon(BaselineDensityMedium)
export const IconCompare = icon(GitCompare)
export const IconUndo = icon(ArrowBackUp)
export const IconRestore = icon(RotateClockwise)
export const IconStop = icon(HandStop)
export const IconArchive = icon(Archive)
export const IconDownload = icon(Download)
export const IconUpload = icon(Upload)
export const IconPaste = icon(ClipboardText)
export const IconInvite = icon(UserPlus)
export const IconSignOut = icon(Logout)
export const IconSend = icon(Send)
export const IconLink = icon(Link)
export const IconExternal = icon(ExternalLink)
export const IconRefresh = icon(Refresh)
export const IconSwitch = icon(ArrowsLeftRight)
export const IconCommand = icon(Command)
export const IconKeyboard = icon(Keyboard)
export const IconLight = icon(Sun)
export const IconDark = icon(Moon)
export const IconSystem = icon(DeviceDesktop)

// Places on the screen
export const IconClose = icon(X)
export const IconMenu = icon(Menu2)
export const IconMore = icon(Dots)
export const IconMoreVertical = icon(DotsVertical)
export const IconDown = icon(ChevronDown)
export const IconUp = icon(ChevronUp)
export const IconLeft = icon(ChevronLeft)
export const IconRight = icon(ChevronRight)
export const IconUpDown = icon(Selector)
export const IconSidebar = icon(LayoutSidebar)
export const IconArrow = icon(ArrowRight)
export const IconDrag = icon(GripVertical)
