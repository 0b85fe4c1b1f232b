import { createElement, type FunctionComponent, type SVGProps } from 'react'
import AlertCircle from '@tabler/icons-react/dist/esm/icons/IconAlertCircle.mjs'
import AlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import Archive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs'
import ArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs'
import ArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs'
import ArrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs'
import ArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs'
import ArrowsLeftRight from '@tabler/icons-react/dist/esm/icons/IconArrowsLeftRight.mjs'
import ArrowsSort from '@tabler/icons-react/dist/esm/icons/IconArrowsSort.mjs'
import ArrowsSplit2 from '@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs'
import BaselineDensityMedium from '@tabler/icons-react/dist/esm/icons/IconBaselineDensityMedium.mjs'
import Bolt from '@tabler/icons-react/dist/esm/icons/IconBolt.mjs'
import Book2 from '@tabler/icons-react/dist/esm/icons/IconBook2.mjs'
import Braces from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs'
import Building from '@tabler/icons-react/dist/esm/icons/IconBuilding.mjs'
import Calendar from '@tabler/icons-react/dist/esm/icons/IconCalendar.mjs'
import ChartBar from '@tabler/icons-react/dist/esm/icons/IconChartBar.mjs'
import Check from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import ChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import ChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import ChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import ChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs'
import CircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs'
import CircleDashed from '@tabler/icons-react/dist/esm/icons/IconCircleDashed.mjs'
import CircleHalf2 from '@tabler/icons-react/dist/esm/icons/IconCircleHalf2.mjs'
import ClipboardText from '@tabler/icons-react/dist/esm/icons/IconClipboardText.mjs'
import Clock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs'
import CloudOff from '@tabler/icons-react/dist/esm/icons/IconCloudOff.mjs'
import Columns3 from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs'
import Command from '@tabler/icons-react/dist/esm/icons/IconCommand.mjs'
import Copy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import DeviceDesktop from '@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs'
import DeviceLaptop from '@tabler/icons-react/dist/esm/icons/IconDeviceLaptop.mjs'
import Dots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
import DotsVertical from '@tabler/icons-react/dist/esm/icons/IconDotsVertical.mjs'
import Download from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs'
import Edit from '@tabler/icons-react/dist/esm/icons/IconEdit.mjs'
import Equal from '@tabler/icons-react/dist/esm/icons/IconEqual.mjs'
import ExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs'
import Eye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs'
import EyeOff from '@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs'
import FileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs'
import Filter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs'
import Fingerprint from '@tabler/icons-react/dist/esm/icons/IconFingerprint.mjs'
import Folder from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import GitCompare from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs'
import GripVertical from '@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs'
import HandStop from '@tabler/icons-react/dist/esm/icons/IconHandStop.mjs'
import Hash from '@tabler/icons-react/dist/esm/icons/IconHash.mjs'
import History from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs'
import Inbox from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs'
import InfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs'
import Key from '@tabler/icons-react/dist/esm/icons/IconKey.mjs'
import Keyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs'
import LayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs'
import LayoutSidebar from '@tabler/icons-react/dist/esm/icons/IconLayoutSidebar.mjs'
import LetterT from '@tabler/icons-react/dist/esm/icons/IconLetterT.mjs'
import Link from '@tabler/icons-react/dist/esm/icons/IconLink.mjs'
import Lock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs'
import LockX from '@tabler/icons-react/dist/esm/icons/IconLockX.mjs'
import Logout from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs'
import Logs from '@tabler/icons-react/dist/esm/icons/IconLogs.mjs'
import Mail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs'
import Menu2 from '@tabler/icons-react/dist/esm/icons/IconMenu2.mjs'
import Moon from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs'
import Pencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs'
import Plus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import Refresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs'
import Robot from '@tabler/icons-react/dist/esm/icons/IconRobot.mjs'
import RotateClockwise from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs'
import Search from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import Selector from '@tabler/icons-react/dist/esm/icons/IconSelector.mjs'
import Send from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import Settings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs'
import ShieldLock from '@tabler/icons-react/dist/esm/icons/IconShieldLock.mjs'
import Stack2 from '@tabler/icons-react/dist/esm/icons/IconStack2.mjs'
import Sun from '@tabler/icons-react/dist/esm/icons/IconSun.mjs'
import Terminal2 from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs'
import ToggleLeft from '@tabler/icons-react/dist/esm/icons/IconToggleLeft.mjs'
import Trash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import Upload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs'
import User from '@tabler/icons-react/dist/esm/icons/IconUser.mjs'
import UserCircle from '@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs'
import UserPlus from '@tabler/icons-react/dist/esm/icons/IconUserPlus.mjs'
import Users from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs'
import World from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs'
import X from '@tabler/icons-react/dist/esm/icons/IconX.mjs'

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke' | 'ref'> {
  /**
   * Size in CSS pixels.
   * @default 16
   */
  readonly size?: number
}

export type Icon = FunctionComponent<IconProps>

/** Returns an icon in the color of the text. Words say what it means, so screen readers skip it. */
function icon(art: typeof Check): Icon {
  return (props) =>
    createElement(art, {
      size: 16,
      stroke: 1.75,
      'aria-hidden': true,
      focusable: false,
      ...props,
      className: classOf(props),
    })
}

/** Returns the class by which icons keep their size in a narrow row. */
function classOf({ className }: IconProps): string {
  return className === undefined ? 'icon' : ['icon', className].join(' ')
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
